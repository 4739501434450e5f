// A child process that waits for requests: it must not keep this process alive while no request is pending.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Socket } from 'node:net'

/** Keep this process alive for a child only while a caller waits for it. */
export function hold(child: ChildProcessWithoutNullStreams, isNeeded: boolean): void {
  for (const part of [child, child.stdin, child.stdout, child.stderr] as unknown as Socket[]) {
    if (isNeeded) part.ref()
    else part.unref()
  }
}
