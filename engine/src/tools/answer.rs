//! The answer to a message of a tool.

use core::fmt::{self, Write as _};
use std::string::String;

use loligo_allocators::Allocator;
use loligo_sjson::{Nest, Options, Style, Value, ValueKind, Writer};

use super::request::ToolRequest;
use super::subscriptions::Subscriptions;
use super::text::Text;
use super::token::ToolToken;
use super::topic::ToolTopic;

/// Does what a request asks for, and writes the result.
pub(super) type Serve<'s> = dyn FnMut(&ToolRequest<'_>, &mut Writer<'_>) -> Result<(), String> + 's;

/// A message of a tool.
pub(super) struct Asked<'m> {
    /// Which tool.
    pub(super) tool: u32,
    pub(super) message: &'m str,
    /// The token that it must have, if it must.
    pub(super) due: Option<ToolToken>,
}

/// Writes the answer to a message into `text`; returns whether the message was a JSON object, with
/// the token where it is due.
pub(super) fn answer(
    asked: &Asked<'_>,
    own: (&[ToolTopic], &mut Subscriptions),
    memory: &dyn Allocator,
    text: &mut Text<'_>,
    serve: &mut Serve<'_>,
) -> bool {
    let Asked { tool, message, due } = *asked;
    text.clear();
    // What does not fit is dropped as a whole by the text, so writing cannot fail half-way unseen.
    let value = match Value::try_parse_in(message.as_bytes(), &Options::JSON, memory) {
        Ok(value) if value.root().kind() == ValueKind::Object => value,
        Ok(_) => {
            let _ = write_error(text, None, "expected a JSON object as the message");
            return false;
        }
        Err(error) => {
            let mut why = Text::new_in(1024, memory);
            let _ = write!(why, "the message is no JSON: {error}");
            let _ = write_error(text, None, why.as_str());
            return false;
        }
    };
    let body = value.root();
    let id = body.get("id").and_then(|id| id.as_i64());
    let given = body.get("token").and_then(|token| token.as_str());
    if due.is_some_and(|token| !given.is_some_and(|given| token.matches(given))) {
        let _ = write_error(text, id, NO_TOKEN);
        return false;
    }
    let Some(kind) = body.get("type").and_then(|kind| kind.as_str()) else {
        let _ = write_error(text, id, "expected a string as the member `type`");
        return true;
    };
    let request = ToolRequest { tool, kind, body };
    let refused = write_result(text, id, |writer| match kind {
        "subscribe" | "unsubscribe" => subscribe(&request, own, writer),
        _ => serve(&request, writer),
    });
    if let Err(why) = refused {
        text.clear();
        let _ = write_error(text, id, &why);
    }
    true
}

/// The answer to a tool without the token.
const NO_TOKEN: &str = "the first message needs the port's token as the member `token`; the engine prints it and keeps it in \
     the file `tools` of the data folder";

/// Changes what a tool has subscribed to, and writes what it has now.
fn subscribe(
    request: &ToolRequest<'_>,
    (topics, own): (&[ToolTopic], &mut Subscriptions),
    writer: &mut Writer<'_>,
) -> Result<(), String> {
    match request.kind {
        "subscribe" => own.add(request.body, topics)?,
        _ => own.remove(request.body, topics)?,
    }
    write_subscriptions(topics, own, writer).map_err(too_long)
}

fn write_subscriptions(
    topics: &[ToolTopic],
    own: &Subscriptions,
    writer: &mut Writer<'_>,
) -> fmt::Result {
    writer.start(Nest::Object)?;
    writer.key("topics")?;
    writer.start(Nest::Array)?;
    for (_, topic) in topics.iter().enumerate().filter(|(place, _)| own.has(*place)) {
        writer.start(Nest::Object)?;
        writer.key("name")?;
        writer.string(topic.name)?;
        writer.key("interval_ms")?;
        writer.u64(topic.interval.as_millis() as u64)?;
        writer.end(Nest::Object)?;
    }
    writer.end(Nest::Array)?;
    for (key, bound) in ["messages_a_second", "bytes_a_second"].into_iter().zip(own.bounds()) {
        writer.key(key)?;
        writer.u64(u64::from(bound))?;
    }
    writer.end(Nest::Object)
}

fn write_result(
    text: &mut Text<'_>,
    id: Option<i64>,
    serve: impl FnOnce(&mut Writer<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let mut writer = Writer::new(Style::JSON_COMPACT, text);
    start(&mut writer, id, "result").map_err(too_long)?;
    writer.key("value").map_err(too_long)?;
    serve(&mut writer)?;
    writer.end(Nest::Object).map_err(too_long)?;
    writer.finish().map_err(too_long)
}

pub(super) fn write_error(text: &mut Text<'_>, id: Option<i64>, why: &str) -> fmt::Result {
    let mut writer = Writer::new(Style::JSON_COMPACT, text);
    start(&mut writer, id, "error")?;
    writer.key("message")?;
    writer.string(why)?;
    writer.end(Nest::Object)?;
    writer.finish()
}

fn start(writer: &mut Writer<'_>, id: Option<i64>, kind: &str) -> fmt::Result {
    writer.start(Nest::Object)?;
    if let Some(id) = id {
        writer.key("id")?;
        writer.i64(id)?;
    }
    writer.key("type")?;
    writer.string(kind)
}

fn too_long(_: fmt::Error) -> String {
    "the answer is too long for the connection: ask for less".into()
}
