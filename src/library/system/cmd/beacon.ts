// Commands that users run in login shells: `strace` reports each program that a shell starts. A shell is traced until it
// ends.
import { type Dict, dictFrom, isDict, isList, str, type Value } from '../../../data/mod.ts'
import { type BeaconContext, defineBeacon, type Followed, remembered } from '../../../sdk/mod.ts'

interface Shell extends Followed {
  user: Value
  lines: string[]
}

/** Parse the quoted parts of a call: the program, then its arguments. */
function commandIn(line: string, pid: string, user: Value): Dict {
  const fields = line.split('execve')[1]!.split('"')
  const event: Dict = dictFrom({ args: fields.filter((_, index) => index % 2 === 1 && index > 1), tag: pid })
  if (fields.length > 1) event.set('cmd', fields[1]!)
  return event.set('user', user) as Dict
}

/** Return the processes that are shells, with their users. */
async function shellsNow(ctx: BeaconContext): Promise<Map<string, Value>> {
  const listed = await ctx.call('cmd.shells')
  const shells = isList(listed) ? [...listed].map(str) : []
  const processes = await ctx.call('status.procs')
  const found = new Map<string, Value>()
  for (const [pid, process] of isDict(processes) ? processes : []) {
    if (!isDict(process)) continue
    const command = str(process.get('cmd') ?? '').replace(/^-+/, '')
    if (shells.some((shell) => shell.includes(command))) found.set(str(pid), process.get('user') ?? null)
  }
  return found
}

function follow(ctx: BeaconContext, pid: string, user: Value): Shell {
  const lines: string[] = []
  const followed = ctx.follow(['strace', '-f', '-e', 'execve', '-p', pid], (line) => lines.push(line))
  return Object.assign(followed, { user, lines })
}

export default defineBeacon({
  name: 'sh',
  doc: 'Report the commands that are run in login shells.',
  when: async ({ host }) => (await host.which('strace')) !== undefined || 'strace is missing.',
  validate: () => undefined,
  beacon: async (ctx) => {
    const shells = remembered(ctx, 'shells', () => new Map<string, Shell>())
    for (const [pid, user] of await shellsNow(ctx)) if (!shells.has(pid)) shells.set(pid, follow(ctx, pid, user))
    const reports: Dict[] = []
    for (const [pid, shell] of shells) {
      const calls = shell.lines.splice(0).filter((line) => line.includes('execve'))
      reports.push(...calls.map((line) => commandIn(line, pid, shell.user)))
      if (!shell.isRunning) shells.delete(pid)
    }
    return reports
  },
})
