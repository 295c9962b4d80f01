//! Paints the state. Panes that have nothing to show take no room.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line as Shown;
use ratatui::widgets::{Block as Border, Borders, Clear, Paragraph};

use super::state::{Running, State};
use crate::approval::{Asked, Extent, keys_line, question_lines};
use crate::text::{Line, Tone, cut, display, visible, width_of, wrap};

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Rows of a pane, at most, its border included.
const TOOLS: u16 = 7;
const JOBS: u16 = 5;
const INPUT: u16 = 7;

/// Where everything is.
struct Panes {
    transcript: Rect,
    tools: Rect,
    jobs: Rect,
    question: Rect,
    input: Rect,
    status: Rect,
}

pub(super) fn draw(state: &State, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.height < 4 || area.width < 10 {
        return frame.render_widget(Paragraph::new("too small"), area);
    }
    let tools = tool_lines(state);
    let jobs = job_lines(state);
    let question = question_pane(state, usize::from(area.width).saturating_sub(2));
    let input = input_lines(state, usize::from(area.width).saturating_sub(2));
    let panes = panes(area, [tools.len(), jobs.len(), question.len(), input.lines.len()]);
    draw_transcript(state, frame, panes.transcript);
    boxed(state, frame, panes.tools, "running", &newest(&tools, panes.tools));
    boxed(state, frame, panes.jobs, "jobs", &jobs);
    boxed(
        state,
        frame,
        panes.question,
        question_title(state),
        &from(&question, state.question_scrolled, panes.question),
    );
    draw_input(state, frame, panes.input, &input);
    draw_status(state, frame, panes.status);
}

fn question_title(state: &State) -> &'static str {
    match state.question.as_ref().map(|view| &view.asked) {
        Some(Asked::Meaning(_)) => "question",
        _ => "approval",
    }
}

fn panes(area: Rect, [tools, jobs, question, input]: [usize; 4]) -> Panes {
    let rows = |lines: usize, most: u16| match u16::try_from(lines).unwrap_or(u16::MAX) {
        0 => 0,
        lines => lines.saturating_add(2).min(most),
    };
    let input = rows(input, INPUT.min(area.height / 3).max(3));
    let question = rows(question, area.height.saturating_sub(input + 3));
    let left = area.height.saturating_sub(input + question + 4);
    let tools = rows(tools, TOOLS.min(left));
    let jobs = rows(jobs, JOBS.min(left.saturating_sub(tools)));
    let fits = |rows: u16| Constraint::Length(if rows < 3 { 0 } else { rows });
    let [transcript, tools, jobs, question, input, status] = Layout::vertical([
        Constraint::Min(1),
        fits(tools),
        fits(jobs),
        fits(question),
        Constraint::Length(input),
        Constraint::Length(1),
    ])
    .areas(area);
    Panes { transcript, tools, jobs, question, input, status }
}

fn draw_transcript(state: &State, frame: &mut Frame<'_>, area: Rect) {
    let height = usize::from(area.height);
    let preview = match &state.running {
        Running::Work(narrator) if state.scrolled == 0 => narrator.preview(state.transcript.page(), height),
        Running::Work(_) | Running::Nothing => Vec::new(),
    };
    let lines = state.transcript.lines();
    let end = (lines.len() + preview.len()).saturating_sub(state.scrolled.min(lines.len()));
    let start = end.saturating_sub(height);
    let shown: Vec<Shown<'_>> =
        lines.iter().chain(&preview).skip(start).take(end - start).map(|line| display(line, state.paint)).collect();
    frame.render_widget(Paragraph::new(shown), area);
}

fn boxed(state: &State, frame: &mut Frame<'_>, area: Rect, title: &str, lines: &[Line]) {
    if area.height < 3 {
        return;
    }
    let width = usize::from(area.width).saturating_sub(2);
    let shown: Vec<Shown<'_>> = lines.iter().map(|line| display(&cut(line, width), state.paint)).collect();
    frame.render_widget(Clear, area);
    frame.render_widget(
        Paragraph::new(shown).block(Border::default().borders(Borders::ALL).title(format!(" {title} "))),
        area,
    );
}

fn tool_lines(state: &State) -> Vec<Line> {
    let Running::Work(narrator) = &state.running else { return Vec::new() };
    let mut lines = Vec::new();
    for tool in narrator.tools() {
        let elapsed = crate::turn::elapsed(state.now.into_std().saturating_duration_since(tool.started));
        let title = Line::plain(&tool.tool).and(&format!("  {}", tool.preview), Tone::Plain);
        lines.push(title.and(&format!("  {elapsed}, {} lines", tool.tail.count()), Tone::Faint));
        lines.extend(
            tool.tail.newest(usize::from(TOOLS)).iter().map(|line| Line::of(&format!("  {line}"), Tone::Faint)),
        );
    }
    lines
}

fn job_lines(state: &State) -> Vec<Line> {
    let line = |job: &crate::conversation::Job| {
        Line::plain(&job.id)
            .and(&format!("  {}", job.state), Tone::Faint)
            .and(&format!("  {}", job.command), Tone::Plain)
    };
    state.jobs.iter().map(line).collect()
}

/// The question, folded; its keys are the last line and never scrolled away.
fn question_pane(state: &State, width: usize) -> Vec<Line> {
    let Some(view) = &state.question else { return Vec::new() };
    let indent = Line::plain("    ");
    let mut lines: Vec<Line> = question_lines(view, state.waiting, Extent::Beginning)
        .iter()
        .flat_map(|line| wrap(&line.0, width, &Line::default(), &indent))
        .collect();
    lines.push(keys_line(view, &state.attention, state.now));
    lines
}

fn newest(lines: &[Line], area: Rect) -> Vec<Line> {
    let room = usize::from(area.height.saturating_sub(2));
    match lines.split_first() {
        Some((title, rest)) if lines.len() > room && room > 0 => {
            let mut shown = vec![title.clone()];
            shown.extend_from_slice(&rest[rest.len() - (room - 1)..]);
            shown
        }
        _ => lines.to_vec(),
    }
}

/// The part of a question that fits, with its keys, and a word about the part that does not.
fn from(lines: &[Line], scrolled: usize, area: Rect) -> Vec<Line> {
    let room = usize::from(area.height.saturating_sub(2));
    let Some((keys, body)) = lines.split_last().filter(|_| lines.len() > room && room > 2) else {
        return lines.to_vec();
    };
    let start = scrolled.min(body.len() - (room - 2));
    let mut shown = body[start..start + room - 2].to_vec();
    let below = body.len() - start - (room - 2);
    shown.push(Line::of(&format!("  Up/Down: {start} above, {below} below"), Tone::Alert));
    shown.push(keys.clone());
    shown
}

/// The input as it is folded, and where the cursor is in it.
struct InputLines {
    lines: Vec<String>,
    cursor: (usize, usize),
}

fn input_lines(state: &State, width: usize) -> InputLines {
    let room = width.saturating_sub(2).max(1);
    let at = state.draft.before_cursor().len();
    let mut lines = Vec::new();
    let mut cursor = (0, 0);
    let mut offset = 0;
    for line in state.draft.text().split('\n') {
        let mut start = 0;
        loop {
            let rest = &line[start..];
            let length = rest.char_indices().find(|(end, next)| width_of(&rest[..end + next.len_utf8()]) > room);
            let end = length.map_or(line.len(), |(end, next)| start + if end == 0 { next.len_utf8() } else { end });
            if at >= offset + start && at <= offset + end {
                cursor = (lines.len(), width_of(&line[start..at - offset]));
            }
            lines.push(line[start..end].to_owned());
            start = end;
            if start >= line.len() {
                break;
            }
        }
        offset += line.len() + 1;
    }
    InputLines { lines, cursor }
}

fn draw_input(state: &State, frame: &mut Frame<'_>, area: Rect, input: &InputLines) {
    let room = usize::from(area.height.saturating_sub(2)).max(1);
    let start = (input.cursor.0 + 1).saturating_sub(room);
    let shown: Vec<Line> =
        input.lines.iter().skip(start).take(room).map(|line| Line::plain(&format!("> {line}"))).collect();
    let title = if state.is_running() { "message (waits for the turn)" } else { "message" };
    boxed(state, frame, area, title, &shown);
    let column = u16::try_from(input.cursor.1).unwrap_or(u16::MAX).saturating_add(3);
    let row = u16::try_from(input.cursor.0 - start).unwrap_or(u16::MAX).saturating_add(1);
    frame.set_cursor_position(Position::new(
        area.x.saturating_add(column).min(area.right().saturating_sub(1)),
        area.y.saturating_add(row).min(area.bottom().saturating_sub(1)),
    ));
}

fn draw_status(state: &State, frame: &mut Frame<'_>, area: Rect) {
    let headline = &state.headline;
    let is_hidden = state.question.is_some() && !state.has_room_for_question();
    let hidden = if is_hidden { "a question waits: window too small".to_owned() } else { String::new() };
    let mut parts = vec![
        hidden,
        headline.model.clone(),
        headline.session.clone(),
        headline.place.clone(),
        headline.warning.clone(),
    ];
    if !state.queued.is_empty() {
        parts.push(format!("{} queued", state.queued.len()));
    }
    if state.scrolled > 0 {
        parts.push("scrolled: PageDown".to_owned());
    }
    parts.push(if state.hint.is_empty() { "/help".to_owned() } else { state.hint.clone() });
    parts.retain(|part| !part.is_empty());
    let text = visible(&parts.join(" · ")).replace('\n', " ");
    let mut line = Line::plain(" ");
    if let Running::Work(narrator) = &state.running {
        let now = state.now.into_std();
        let frame = narrator.running_for(now).as_millis() / 100;
        line =
            line.and(SPINNER[usize::try_from(frame).unwrap_or(0) % SPINNER.len()], Tone::Plain).and(" ", Tone::Plain);
        line.0.extend(narrator.activity(now).0);
        line = line.and(" · ", Tone::Plain);
    }
    let line = cut(&line.and(&text, Tone::Plain), usize::from(area.width));
    let words = format!("{:<width$}", line.text(), width = usize::from(area.width));
    frame.render_widget(Paragraph::new(words).style(Style::default().add_modifier(Modifier::REVERSED)), area);
}
