// The facts about a target from its login.

/** The kind of the system's stat, with its options and precision. */
export type StatFlavour = 'gnu' | 'busybox' | 'bsd'

export interface Facts {
  readonly system: string
  readonly uid: number
  readonly gid: number
  readonly umask: number
  /** How far the target's clock is ahead of this machine's, in seconds. */
  readonly clockOffset: number
  readonly hostname: string
  readonly cwd: string
  readonly tools: ReadonlySet<string>
  readonly stat: StatFlavour
  readonly isBash: boolean
  readonly env: ReadonlyMap<string, string>
}

/** `asked` and `answered`: times on this machine in seconds, between which the target's clock was read. */
export function readFacts(text: Buffer, asked: number, answered: number): Facts {
  const [
    system = '',
    uid,
    gid,
    umask = '',
    date = '',
    hostname = '',
    cwd = '/',
    tools = '',
    stat = '',
    bash = '',
    ...env
  ] = text.toString().split('\0')
  const clock = Number(date.replace(/\.?\D*$/, ''))
  const flavour: StatFlavour = stat === 'bsd' ? 'bsd' : /^\d+\.\d+$/.test(stat) ? 'gnu' : 'busybox'
  return {
    system,
    uid: Number(uid),
    gid: Number(gid),
    umask: Number.parseInt(umask, 8),
    clockOffset: clockOffset(clock, asked, answered),
    hostname: hostname.trim(),
    cwd,
    tools: new Set(tools.split(' ').filter(Boolean)),
    stat: flavour,
    isBash: bash === 'bash',
    env: new Map(variables(env)),
  }
}

/** A difference that the time of the answer may explain is none. */
function clockOffset(clock: number, asked: number, answered: number): number {
  // a clock in whole seconds is on average half a second ahead of its value
  const offset = clock + (Number.isInteger(clock) ? 0.5 : 0) - answered
  return Math.abs(offset) <= Math.max(1, answered - asked) ? 0 : offset
}

/** Yield variables from a list with NULs, or from lines if the target has no such list. */
function* variables(texts: readonly string[]): Generator<[string, string]> {
  const entries = texts.length === 1 ? texts[0]!.split('\n') : texts
  for (const entry of entries) {
    const at = entry.indexOf('=')
    if (at > 0 && entry.slice(0, at) !== '_') yield [entry.slice(0, at), entry.slice(at + 1)]
  }
}
