// Placeholders in recordings for values that vary. A job id is the same wherever it appears, so its value is
// remembered: for later outputs, and for command lines with it.

const KINDS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^JID\d*$/, '\\d{20}(?:_\\d+)?'],
  [/^(STAMP|UUID|ROOTKEY|SALT|TMPFILE)$/, '\\S+'],
  [/^(TIME|CTIME|START_TIME|TT)$/, '.+'],
  [/^(EPOCH|PID)$/, '[\\d.]+'],
  [/^(MS|DURATION|SECONDS)$/, '[\\d.]+(?: ?m?s)?'],
  [/^HTTPDATE$/, '\\w{3}, \\d\\d[ -]\\w{3}[ -]\\d{4} \\d\\d:\\d\\d:\\d\\d GMT'],
  [/^(PUB|PRIV)KEY$/, '[\\s\\S]+'],
  [/^(FINGER)$/, '[0-9a-f:]+'],
  [/^(TOKEN|HEX)$/, '[0-9a-f]+'],
  [/^(USAGE|DOCSTRING|ALL GRAINS|GRAINS|DOCS OF ALL RUNNERS)$/, '[\\s\\S]*'],
  [/^FRAMES$/, '(?:[\\s\\S]*(?:\\n|\\\\n))?'],
]

/** A number that no job has, for those that recordings made up. */
export const NO_JOB = '20010101000000000000'

const PLACEHOLDER = /<([A-Z_ ]+\d*)>/

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

export class Placeholders {
  private readonly known: Map<string, string>

  constructor(known: ReadonlyMap<string, string> = new Map()) {
    this.known = new Map(known)
  }

  /** Whether a text equals the recorded one; the values of numbered placeholders are stored. */
  matches(recorded: string, actual: string): boolean {
    if (recorded === actual) return true
    const found = this.pattern(recorded).exec(actual)
    if (!found) return false
    for (const [name, value] of Object.entries(found.groups ?? {})) this.known.set(name, value)
    return true
  }

  /** Gives a job the next number, as recordings do in the order in which jobs appear. */
  learn(jid: string): void {
    if (![...this.known.values()].includes(jid)) this.known.set(`JID${this.known.size + 1}`, jid)
  }

  /** Tries something that may remember wrongly, and forgets it when it fails. */
  attempt(try_: () => boolean): boolean {
    const before = new Map(this.known)
    if (try_()) return true
    this.known.clear()
    for (const [name, value] of before) this.known.set(name, value)
    return false
  }

  /** Return the text with known values filled in. */
  filled(text: string, otherwise?: string): string {
    return text.replace(/<(JID\d+)>/g, (whole, name: string) => this.known.get(name) ?? otherwise ?? whole)
  }

  private pattern(recorded: string): RegExp {
    const seen = new Set<string>()
    // frames are whole lines, or none
    const parts = recorded
      .replace(/ *<FRAMES>(?:\n|\\n)/g, '<FRAMES>')
      .replace(/<DOCSTRING>\n$/, '<DOCSTRING>')
      .split(PLACEHOLDER)
      .map((part, index) => {
        if (index % 2 === 0) return escaped(part).replace(/ at pid \d+/g, ' at pid \\d+')
        const kind = KINDS.find(([name]) => name.test(part))?.[1]
        if (kind === undefined) return escaped(`<${part}>`)
        if (!/^JID\d+$/.test(part)) return kind
        const value = this.known.get(part)
        if (value !== undefined) return escaped(value)
        if (seen.has(part)) return `\\k<${part}>`
        seen.add(part)
        return `(?<${part}>${kind})`
      })
    return new RegExp(`^${parts.join('')}$`)
  }
}
