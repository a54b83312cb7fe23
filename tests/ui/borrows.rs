//! Borrow checker errors, and errors about `Send`.

#![deny(unused)]

use std::rc::Rc;

#[iprof::instrument]
fn dangling<'a>() -> &'a str {
    let text = String::new();
    &text //~ cannot return reference to local variable
}

#[iprof::instrument]
async fn moved(text: String) -> usize {
    drop(text);
    text.len() //~ borrow of moved value
}

#[iprof::instrument]
async fn keeps(value: &Rc<u32>) -> u32 {
    std::future::ready(()).await;
    **value
}

fn is_send(_: impl Send) {}

#[iprof::instrument]
pub async fn unused(value: u32) { //~ unused variable: `value`
}

#[iprof::instrument]
pub fn useless() {
    let mut x = 1; //~ variable does not need to be mutable
    let _ = &x;
}

fn main() {
    let value = Rc::new(1);
    let _ = (dangling(), moved(String::new()));
    is_send(keeps(&value)); //~ future returned by `keeps` is not `Send`
}
