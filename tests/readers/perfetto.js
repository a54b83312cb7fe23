// Runs Perfetto's trace processor, the engine behind its web page, in Node.js: loads a trace and answers SQL queries.
//
//     node perfetto.js FOLDER TRACE QUERY...
//
// FOLDER contains the page's `engine_bundle.js`. The script prints a JSON list of rows for each query.
"use strict";
const fs = require("fs");
const path = require("path");
const [folder, trace, ...queries] = process.argv.slice(2);

// The engine is written as a web worker. It fetches its WebAssembly file and receives a message port.
class Fetch {
  open(_method, url) {
    this.file = path.join(folder, path.basename(url));
  }
  send() {
    this.response = fs.readFileSync(this.file).buffer;
  }
}
const messages = [];
const log = { log() {}, warn: (text) => messages.push(text), error: (text) => messages.push(text) };
const worker = { location: { href: "file:///" } };
const world = { self: worker, XMLHttpRequest: Fetch, WorkerGlobalScope: Object, console: log, process: undefined };
const engine = new Function(...Object.keys(world), fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"));
engine(...Object.values(world));
const replies = [];
const port = { postMessage: (bytes) => replies.push(Buffer.from(bytes)) };
worker.onmessage({ data: port });

// Messages are defined in Perfetto's trace_processor.proto. A field consists of its number and type, followed by an
// integer or by a length and that many bytes.
const writeNumber = (value) => {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
};
const number = (field, value) => Buffer.concat([writeNumber(field * 8), writeNumber(value)]);
const bytes = (field, value) => Buffer.concat([writeNumber(field * 8 + 2), writeNumber(value.length), value]);
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  number() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(64, value));
    }
  }
  take(length) {
    return this.bytes.subarray(this.at, (this.at += length));
  }
  *numbers() {
    while (this.at < this.bytes.length) yield this.number();
  }
  *fields() {
    while (this.at < this.bytes.length) {
      const head = this.number();
      const field = Math.floor(head / 8);
      if (head % 8 === 0) yield [field, this.number()];
      else yield [field, this.take({ 1: 8, 5: 4 }[head % 8] ?? this.number())];
    }
  }
}
const fields = (bytes) => [...new Reader(bytes).fields()];

const APPEND_TRACE = 1;
const END_TRACE = 2;
const QUERY = 3;
const call = (method, ...more) => {
  replies.length = 0;
  const request = Buffer.concat([number(1, 0), number(2, method), ...more]);
  port.onmessage({ data: new Uint8Array(bytes(1, request)) });
  return fields(Buffer.concat(replies)).map(([, reply]) => new Map(fields(reply)));
};
const query = (sql) => {
  let columns = 0;
  const cells = [];
  for (const reply of call(QUERY, bytes(103, bytes(1, Buffer.from(sql))))) {
    for (const [field, value] of fields(reply.get(203))) {
      if (field === 1) columns += 1;
      if (field === 2 && value.length) throw new Error(`${sql}: ${value}`);
      if (field !== 3) continue;
      const batch = new Map(fields(value));
      const of = (field) => batch.get(field) ?? Buffer.alloc(0);
      const integers = [...new Reader(of(2)).numbers()];
      const floats = of(3);
      const strings = of(5).toString().split("\0");
      let at = 0;
      const next = { 2: () => integers.shift(), 3: () => floats.readDoubleLE(8 * at++), 4: () => strings.shift() };
      for (const kind of of(1)) cells.push(next[kind]?.() ?? null);
    }
  }
  const rows = [];
  while (cells.length) rows.push(cells.splice(0, columns));
  return rows;
};

// The engine has started when all pending work is done.
setImmediate(() => {
  const file = fs.readFileSync(trace);
  const PART = 1 << 20;
  for (let at = 0; at < file.length; at += PART) call(APPEND_TRACE, bytes(101, file.subarray(at, at + PART)));
  call(END_TRACE);
  process.stdout.write(JSON.stringify(queries.map(query)));
});
process.on("uncaughtException", (error) => {
  console.error(error, messages.join("\n"));
  process.exit(1);
});
