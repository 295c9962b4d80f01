//! What each method does, and what it refuses.

use serde_json::{Value, json};

use super::markup::{problem, visible};
use super::state::{Known, Shown, State};
use super::{BOT_ID, BOT_NAME};

/// Units of UTF-16.
const LONGEST: usize = 4_096;

/// An answer, or an error's number and text.
pub(super) type Answer = Result<Value, (u16, String)>;

/// Does a call that answers at once.
pub(super) fn perform(state: &State, method: &str, parameters: &Value) -> Answer {
    match method {
        "getMe" => Ok(json!({"id": BOT_ID, "is_bot": true, "first_name": "Hermes", "username": BOT_NAME})),
        "sendMessage" => send(state, parameters),
        "sendPhoto" | "sendDocument" => send_file(state, parameters),
        "editMessageText" => state.with(|known| edit(known, parameters)),
        "editMessageReplyMarkup" => state.with(|known| {
            let shown = found(known, parameters)?;
            shown.buttons = buttons(parameters)?;
            Ok(json!(true))
        }),
        "getFile" => {
            let id = parameters["file_id"].as_str().unwrap_or_default();
            let bytes = state.file(id).ok_or_else(|| refused("Bad Request: invalid file_id"))?;
            Ok(json!({"file_id": id, "file_size": bytes.len(), "file_path": format!("documents/{id}")}))
        }
        "deleteWebhook" | "setMyCommands" | "sendChatAction" | "answerCallbackQuery" => Ok(json!(true)),
        _ => Err((404, "Not Found".to_owned())),
    }
}

/// The updates behind the ones that are acknowledged; those are forgotten.
pub(super) fn updates(known: &mut Known, parameters: &Value) -> Option<Vec<Value>> {
    if let Some(updates) = known.verbatim.pop_front() {
        return Some(updates);
    }
    let offset = parameters["offset"].as_i64().unwrap_or_default();
    known.updates.retain(|number, _| *number >= offset);
    let updates: Vec<_> = known.updates.values().take(100).cloned().collect();
    (!updates.is_empty()).then_some(updates)
}

fn send(state: &State, parameters: &Value) -> Answer {
    let chat = parameters["chat_id"].as_i64().ok_or_else(|| refused("Bad Request: chat not found"))?;
    let text = text(parameters)?;
    let shown = Shown {
        message: state.next_message(),
        text,
        thread: parameters["message_thread_id"].as_i64(),
        reply_to: parameters["reply_parameters"]["message_id"].as_i64(),
        buttons: buttons(parameters)?,
    };
    let answer = json!({"message_id": shown.message, "date": 1_700_000_000, "chat": {"id": chat, "type": "private"}});
    state.with(|known| known.messages.insert((chat, shown.message), shown));
    Ok(answer)
}

/// The text is the file's name and what is in it.
fn send_file(state: &State, parameters: &Value) -> Answer {
    let named = parameters["file"].as_str().unwrap_or_default();
    let caption = parameters["caption"].as_str().unwrap_or_default();
    let mut shown = parameters.clone();
    shown["chat_id"] = json!(parameters["chat_id"].as_str().and_then(|chat| chat.parse::<i64>().ok()));
    shown["text"] = json!(format!("{named}{caption}"));
    send(state, &shown)
}

fn edit(known: &mut Known, parameters: &Value) -> Answer {
    let (text, buttons) = (text(parameters)?, buttons(parameters)?);
    let shown = found(known, parameters)?;
    if shown.text == text && shown.buttons == buttons {
        return Err(refused("Bad Request: message is not modified"));
    }
    shown.text = text;
    shown.buttons = buttons;
    Ok(json!(true))
}

fn found<'a>(known: &'a mut Known, parameters: &Value) -> Result<&'a mut Shown, (u16, String)> {
    let key = parameters["chat_id"].as_i64().zip(parameters["message_id"].as_i64());
    let shown = key.and_then(|key| known.messages.get_mut(&key));
    shown.ok_or_else(|| refused("Bad Request: message to edit not found"))
}

fn text(parameters: &Value) -> Result<String, (u16, String)> {
    let text = parameters["text"].as_str().unwrap_or_default();
    let seen = match parameters["parse_mode"].as_str() {
        Some("HTML") => {
            if let Some(problem) = problem(text) {
                return Err(refused(&format!("Bad Request: can't parse entities: {problem}")));
            }
            visible(text)
        }
        Some(_) => return Err(refused("Bad Request: unsupported parse_mode")),
        None => text.to_owned(),
    };
    match seen.encode_utf16().count() {
        _ if seen.trim().is_empty() => Err(refused("Bad Request: message text is empty")),
        length if length > LONGEST => Err(refused("Bad Request: message is too long")),
        _ => Ok(text.to_owned()),
    }
}

fn buttons(parameters: &Value) -> Result<Vec<String>, (u16, String)> {
    let rows = parameters["reply_markup"]["inline_keyboard"].as_array().into_iter().flatten();
    let buttons = rows.flat_map(|row| row.as_array().into_iter().flatten());
    buttons
        .map(|button| match button["callback_data"].as_str() {
            Some(data) if (1..=64).contains(&data.len()) => Ok(data.to_owned()),
            _ => Err(refused("Bad Request: BUTTON_DATA_INVALID")),
        })
        .collect()
}

fn refused(text: &str) -> (u16, String) {
    (400, text.to_owned())
}
