"""Counts the slices of a trace by Perfetto's own code, from the package `perfetto` of PyPI.

Prints `schema: SCOPES EVENTS`, counted in the packets as Perfetto's own schema reads them; then
`processor: SCOPES`, counted by its trace processor, or `unreachable: WHY`. That program is not in
the package: it is downloaded when it is used first.
"""

import sys

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

path = sys.argv[1]
trace = schema.Trace()
with open(path, "rb") as file:
    trace.ParseFromString(file.read())
kinds = schema.TrackEvent.Type
events = [packet.track_event for packet in trace.packet if packet.HasField("track_event")]
begun = sum(event.type == kinds.TYPE_SLICE_BEGIN for event in events)
print(f"schema: {begun} {len(events)}")

try:
    from perfetto.trace_processor import TraceProcessor

    with TraceProcessor(trace=path) as processor:
        rows = list(processor.query("select count(*) as count from slice join thread_track on slice.track_id = thread_track.id"))
        print(f"processor: {rows[0].count}")
except BaseException as error:  # Whatever keeps it from running is the reason.
    print(f"unreachable: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
