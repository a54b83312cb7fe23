//! Decodes screenshots, and compares them.

/// A picture in RGB, top row first.
#[derive(Debug, PartialEq)]
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pixels: Vec<u8>,
}

impl Picture {
    pub(crate) fn from_base64_png(text: &str) -> Picture {
        let bytes = decode_base64(text);
        if let Ok(folder) = std::env::var("IPROF_WEB_PICTURES") {
            // The pictures are written to files that people can look at, numbered in the order in which they were
            // taken.
            static TAKEN: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
            let taken = TAKEN.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let path = std::path::Path::new(&folder).join(format!("{taken:03}.png"));
            std::fs::write(path, &bytes)
                .expect("failed to write to the folder in IPROF_WEB_PICTURES");
        }
        let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        let mut reader = decoder.read_info().expect("invalid PNG");
        let mut pixels = vec![
            0;
            reader
                .output_buffer_size()
                .expect("the picture is too large")
        ];
        let info = reader.next_frame(&mut pixels).expect("truncated PNG");
        let channels = info.color_type.samples();
        let pixels = pixels.chunks_exact(channels).flat_map(|pixel| &pixel[..3]);
        Picture {
            width: info.width,
            height: info.height,
            pixels: pixels.copied().collect(),
        }
    }

    pub(crate) fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let at = 3 * (y as usize * self.width as usize + x as usize);
        [0, 1, 2].map(|channel| self.pixels[at + channel])
    }

    /// Returns the number of pixels that differ and for which `counts` returns true.
    pub(crate) fn differing(&self, other: &Picture, counts: impl Fn(u32, u32) -> bool) -> usize {
        assert_eq!([self.width, self.height], [other.width, other.height]);
        let all = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        all.filter(|&(x, y)| counts(x, y) && self.at(x, y) != other.at(x, y))
            .count()
    }
}

/// Decodes base64 in the standard alphabet, which uses `+` and `/`.
fn decode_base64(text: &str) -> Vec<u8> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
