// Notifies systemd that a daemon is ready, if its unit has `Type=notify`, like Salt's units and copies of them in /etc.
// Node cannot send datagrams to a Unix socket, so the program systemd-notify sends the message; such units need
// `NotifyAccess=all`.
import { spawn } from 'node:child_process'
import type { Log } from '../../base/mod.ts'

const VARIABLE = 'NOTIFY_SOCKET'

/** Return a function that reports readiness. Programs that the daemon starts do not get the address and cannot report in its name. */
export function readyNotifier(log: Log): () => void {
  const socket = process.env[VARIABLE]
  delete process.env[VARIABLE]
  if (socket === undefined) return () => undefined
  return () => {
    const child = spawn('systemd-notify', ['--ready'], { env: { ...process.env, [VARIABLE]: socket }, stdio: 'ignore' })
    const fail = (why: string) => log('error', `systemd could not be told that the daemon is ready: ${why}`)
    child.once('error', ({ message }) => fail(message))
    child.once('exit', (code, signal) => code !== 0 && fail(`systemd-notify ended with ${code ?? signal}`))
  }
}
