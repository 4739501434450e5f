// Commands on a host that have to succeed.
import { BrineError } from '../../base/mod.ts'
import type { Command, Host } from '../../host/mod.ts'

const MOST_OUTPUT = 64 * 1024
/** How many output lines of a failed command are shown. */
const SHOWN_LINES = 4

/** Run a command; fail with the last lines of its error output. */
export async function mustRun(host: Host, argv: readonly string[], options: Omit<Command, 'argv'> = {}): Promise<void> {
  const { retcode, stdout, stderr } = await host.run({ argv, maxOutput: MOST_OUTPUT, ...options })
  if (retcode === 0) return
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).trim()
  const said = (text(stderr) || text(stdout)).split('\n').slice(-SHOWN_LINES).join('; ')
  throw new BrineError('CommandFailed', `${argv[0]} exits with ${retcode}${said === '' ? '' : `: ${said}`}`)
}
