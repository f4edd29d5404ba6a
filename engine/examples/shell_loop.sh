#!/bin/sh
# An agent in a shell script, and the engine as its co-process: a line with a request in, a line with the answer out.
#
#     sh engine/examples/shell_loop.sh FOLDER "How many lines of Python are here?"
#     sh engine/examples/shell_loop.sh FOLDER            # goes on where it was killed
#
# Its one tool runs shell commands in FOLDER. FOLDER/.agent holds its messages and the engine's state, each replaced whole, so
# that it goes on after a crash with the same bytes. Needs spillscope, jq, curl and ANTHROPIC_API_KEY.
set -eu

case ${1:---usage} in
-*)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
    [ "${1:-}" = --help ] || [ "${1:-}" = -h ] || exit 2
    exit 0
    ;;
esac
: "${ANTHROPIC_API_KEY:?set the key of the API}"
url=${ANTHROPIC_BASE_URL:-https://api.anthropic.com}/v1/messages
model=${MODEL:-claude-sonnet-4-6}
tools='[{"name": "Bash", "description": "Run a shell command.", "input_schema":
    {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}}]'

cd "$1"
home=.agent messages=.agent/messages.json state=.agent/state.json
mkdir -p "$home"
work=$(mktemp -d)
trap 'exec 3>&- 4<&-; rm -rf "$work"' EXIT

# The co-process: what is written to 3 it is asked, and what it answers is read from 4.
mkfifo "$work/in" "$work/out"
spillscope apply --stream --session-dir "$home" <"$work/in" >"$work/out" &
exec 3>"$work/in" 4<"$work/out"

keep() { # keep FILE: standard input becomes its content, in one step
    cat >"$1.new"
    mv "$1.new" "$1"
}

add() { # add ROLE: standard input, as JSON, becomes the content of the next message
    jq -c --arg role "$1" --slurpfile all "$messages" '$all[0] + [{role: $role, content: .}]' | keep "$messages"
}

calls() { # the calls of the last message, a line each
    jq -c '.[-1].content | arrays | .[] | select(.type == "tool_use")' "$messages"
}

prepare() { # the next request, in $work/request; what must recur in later ones is kept before it goes out
    jq -c -n --slurpfile messages "$messages" --slurpfile state "$state" '{messages: $messages[0], state: $state[0]}' >&3
    head -n 1 <&4 >"$work/answer"
    jq -c .state "$work/answer" | keep "$state"
    jq -c --arg model "$model" --argjson tools "$tools" \
        '{model: $model, max_tokens: 4096, tools: $tools, messages: .messages}' "$work/answer" >"$work/request"
}

run_calls() { # what each call gave, admitted: a preview where it was large
    calls >"$work/calls"
    [ -s "$work/calls" ] || return 0
    while IFS= read -r call; do
        id=$(printf '%s\n' "$call" | jq -r .id)
        sh -c "$(printf '%s\n' "$call" | jq -r .input.command)" </dev/null 2>&1 3>&- 4<&- | head -c 10000000 >"$work/output"
        spillscope admit --session-dir "$home" --tool Bash --id "$id" <"$work/output" |
            jq -R -s -c --arg id "$id" '{type: "tool_result", tool_use_id: $id, content: .}'
    done <"$work/calls" >"$work/results"
    jq -s -c . "$work/results" | add user
}

[ -e "$messages" ] || echo '[]' | keep "$messages"
[ -e "$state" ] || echo '{}' | keep "$state"
calls | jq -s -c 'map({type: "tool_result", tool_use_id: .id, content: "Interrupted.", is_error: true})' >"$work/results"
[ "$(cat "$work/results")" = '[]' ] || add user <"$work/results"
[ -z "${2:-}" ] || printf %s "$2" | jq -R -s -c . | add user

while [ "$(jq -r '.[-1].role' "$messages")" = user ]; do
    prepare
    curl -sS --fail-with-body "$url" -H "x-api-key: $ANTHROPIC_API_KEY" -H 'anthropic-version: 2023-06-01' \
        -H 'content-type: application/json' --data-binary "@$work/request" >"$work/response"
    jq -r '.content[] | select(.type == "text").text' "$work/response"
    jq -c .content "$work/response" | add assistant
    run_calls
done
