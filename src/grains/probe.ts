// Queries a machine in one shell call, because a process or a round trip costs more than the queries. A machine without
// a shell is queried one by one.
import { shlexQuote } from '../data/mod.ts'

export interface Probe {
  /** Programs to look up. */
  programs: readonly string[]
  /** Commands to run if their program exists. */
  commands: ReadonlyArray<readonly string[]>
  /** Commands to run only where a folder is missing. */
  without?: { folder: string; commands: ReadonlyArray<readonly string[]> }
  /** Commands that may take longer than all others together: they run in parallel with them. */
  slow: ReadonlyArray<readonly string[]>
}

export interface ProbeAnswers {
  /** Null for a missing program. */
  programs: Map<string, string | null>
  /** By the command's index among `commandsOf`. */
  commands: Map<number, { retcode: number; stdout: string }>
}

/** Salt's search path for programs: PATH, then the usual directories. */
const USUAL = '/sbin:/bin:/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin'
/** A separator that no output of these commands contains. */
const MARK = '\u001e'

/** Return all commands of a probe: slow ones last. */
export const commandsOf = ({ commands, without, slow }: Probe): Array<readonly string[]> => [
  ...commands,
  ...(without?.commands ?? []),
  ...slow,
]

export function probeScript(probe: Probe): string {
  const { programs, commands, without, slow } = probe
  const unlessThere = without ? `! [ -e ${shlexQuote(without.folder)} ] && ` : ''
  const usual = [...commands, ...(without?.commands ?? [])]
  const quick = [
    ...programs.map((program) => `printf '%sW ${program} ' "$m"; command -v ${program} || echo`),
    ...usual.map(
      (command, at) =>
        `if ${at < commands.length ? '' : unlessThere}${isThere(command)}; then printf '%sR ${at}\\n' "$m"; ${line(command)} 2>/dev/null; printf '%sS %s' "$m" $?; fi`,
    ),
  ]
  const head = [`PATH="$PATH:${USUAL}"`, 'export LC_ALL=C', `m=$(printf '\\036')`]
  const asked = slow.map(
    (command, i) => `if ${isThere(command)}; then s${i}=$(${line(command)} 2>/dev/null); r${i}=$?; fi`,
  )
  const told = slow.map(
    (_, i) => `if [ -n "$r${i}" ]; then printf '%sR ${usual.length + i}\\n%s%sS %s' "$m" "$s${i}" "$m" "$r${i}"; fi`,
  )
  if (slow.length === 0) return [...head, ...quick].join('\n')
  return [...head, '{', ...quick, '} &', ...asked, 'wait', ...told].join('\n')
}

const isThere = ([program]: readonly string[]): string => `command -v ${program} >/dev/null`

const line = (command: readonly string[]): string => command.map(shlexQuote).join(' ')

export function readProbe(output: string): ProbeAnswers {
  const answers: ProbeAnswers = { programs: new Map(), commands: new Map() }
  let current: { at: number; stdout: string } | undefined
  for (const piece of output.split(MARK).slice(1)) {
    const rest = piece.slice(2)
    if (piece.startsWith('W')) {
      const [, name, path] = /^(\S+) (.*)/.exec(rest) ?? []
      if (name !== undefined) answers.programs.set(name, path?.startsWith('/') ? path : null)
    } else if (piece.startsWith('R')) {
      const end = rest.indexOf('\n')
      current = { at: Number(rest.slice(0, end)), stdout: rest.slice(end + 1) }
    } else if (piece.startsWith('S') && current !== undefined) {
      answers.commands.set(current.at, { retcode: Number(rest), stdout: current.stdout.replace(/[\r\n]+$/, '') })
    }
  }
  return answers
}
