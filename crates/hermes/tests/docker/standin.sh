#!/bin/sh
# Stands in for `hermes gateway` in tests, as long as the program has none. Everything else is the program.
real=/opt/hermes/libexec/hermes
profile=default
home=${HERMES_HOME:-/opt/data}
if [ "$1" = -p ]; then
    profile=$2
    home=$home/profiles/$2
    shift 2
    set -- "$@"
    named=yes
fi
if [ "$1" = gateway ]; then
    case "$2" in
    run)
        echo "Hermes Gateway Starting ($profile)"
        env >"$home/standin.env"
        date +%s%N >>"$home/standin.starts"
        if [ -e "$home/crash" ]; then exit "$(cat "$home/crash")"; fi
        trap 'kill "$!"; exit 1' TERM
        printf '{"gateway_state":"running"}' >"$home/gateway_state.json"
        sleep 100000 &
        wait
        exit
        ;;
    start | stop | restart) exec "$real" container slot "$2" "$profile" ;;
    esac
fi
if [ "${named:-}" = yes ]; then set -- -p "$profile" "$@"; fi
exec "$real" "$@"
