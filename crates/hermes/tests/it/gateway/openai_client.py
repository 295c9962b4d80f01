"""The API as the official client sees it. Prints one JSON value; the test looks at it.

usage: openai_client.py WHAT URL KEY [ARGUMENT...]
"""

import concurrent.futures
import json
import sys

import openai

what, url, key, *arguments = sys.argv[1:]
client = openai.OpenAI(base_url=url, api_key=key, max_retries=0, timeout=60)


def ask(text, **more):
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model="hermes-agent", messages=messages, **more)


def chat():
    messages = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "answer"},
        {"role": "user", "content": "say hello"},
    ]
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    made = client.chat.completions.create(model="hermes-agent", messages=messages, tools=[tool], temperature=0)
    choice = made.choices[0]
    return {
        "text": choice.message.content,
        "finish": choice.finish_reason,
        "calls": choice.message.tool_calls,
        "tokens": made.usage.total_tokens,
        "models": [model.id for model in client.models.list()],
    }


def streamed():
    text, finish, usage, tools = "", None, None, []
    for chunk in ask(arguments[0], stream=True, stream_options={"include_usage": True}):
        if chunk.object != "chat.completion.chunk":
            raise SystemExit(f"a chunk is {chunk!r}")
        if getattr(chunk, "tool", None):
            tools.append([chunk.tool, chunk.status])
        usage = chunk.usage.total_tokens if chunk.usage else usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
    return {"text": text, "finish": finish, "tokens": usage, "tools": tools}


def errors():
    def raised(work):
        try:
            work()
        except openai.APIStatusError as error:
            return [type(error).__name__, error.status_code, error.code, error.param]
        return None

    stranger = openai.OpenAI(base_url=url, api_key="wrong-key-0123456789", max_retries=0)
    image = {"type": "image_url", "image_url": {"url": "https://example.org/x.png"}}
    return {
        "key": raised(lambda: stranger.models.list()),
        "model": raised(lambda: client.models.retrieve("no-such-model")),
        "empty": raised(lambda: client.chat.completions.create(model="m", messages=[])),
        "image": raised(lambda: client.chat.completions.create(model="m", messages=[{"role": "user", "content": [image]}])),
        "response": raised(lambda: client.responses.retrieve("resp_none")),
        "session": raised(lambda: ask("x", extra_headers={"X-Hermes-Session-Id": "none"})),
    }


def cancelled():
    """Reads until the command has begun, then closes the stream."""
    stream = ask(arguments[0], stream=True)
    for chunk in stream:
        if getattr(chunk, "status", None) == "running":
            break
    # The command says that it runs by a file.
    sys.stdout.write("running\n")
    sys.stdout.flush()
    sys.stdin.readline()
    stream.close()
    return "closed"


def responses():
    first = client.responses.create(model="hermes-agent", input="say one", instructions="be brief")
    second = client.responses.create(model="hermes-agent", input="heard", previous_response_id=first.id)
    text, kinds = "", []
    with client.responses.stream(model="hermes-agent", input="say two words") as stream:
        for event in stream:
            kinds.append(event.type)
            if event.type == "response.output_text.delta":
                text += event.delta
        final = stream.get_final_response()
    again = client.responses.retrieve(first.id)
    client.responses.delete(first.id)
    return {
        "first": first.output_text,
        "second": second.output_text,
        "again": again.output_text,
        "streamed": text,
        "final": final.output_text,
        "tokens": first.usage.total_tokens,
        "last": kinds[-1],
    }


def identities():
    """Chats at once, each of which runs a command that tells whose it is."""

    def one(number):
        headers = {"X-Hermes-Session-Key": f"key-{number}"}
        command = 'run sleep 0.2; echo "$HERMES_SESSION_ID $HERMES_SESSION_KEY"'
        raw = client.chat.completions.with_raw_response.create(
            model="m", messages=[{"role": "user", "content": command}], extra_headers=headers
        )
        told = raw.parse().choices[0].message.content.split()
        return [raw.headers["x-hermes-session-id"], f"key-{number}"] + told

    count = int(arguments[0])
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


print(json.dumps(globals()[what]()))
