// The table of a bench with many minions: each row is one figure of both sides, its CPU time of the master, and the
// master's peak memory meanwhile.

export interface Figure {
  what: string
  unit: string
  value: number
  /** CPU seconds of the master for all of it; without them there is nothing to compare. */
  cpuS?: number
  peakMiB?: number
  /** How many times less CPU time than Salt's master it must take. */
  goal?: number
}

/** In these units less is better. */
const COSTS = new Set(['ms', 's', 'lost'])

const short = (value: number): string => value.toFixed(value === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2)

const times = (ratio: number): string => (Number.isFinite(ratio) ? `${ratio.toFixed(1)}×` : '')

function better({ value, unit }: Figure, other: Figure | undefined): number {
  if (!other || unit === 'lost') return Number.NaN
  return COSTS.has(unit) ? other.value / value : value / other.value
}

const cheaper = (ours: Figure, theirs: Figure | undefined): number =>
  (theirs?.cpuS ?? Number.NaN) / (ours.cpuS ?? Number.NaN)

const HEAD = ['', 'brine', 'salt', 'ratio', 'CPU s', 'salt', 'ratio', 'MiB', 'salt', '']

function cells(ours: Figure, theirs: Figure | undefined): string[] {
  const ratio = cheaper(ours, theirs)
  const verdict = ratio < ours.goal! ? ', missed' : ''
  const number = (value: number | undefined): string => (value === undefined ? '' : short(value))
  return [
    ours.what,
    `${short(ours.value)} ${ours.unit}`,
    number(theirs?.value),
    times(better(ours, theirs)),
    number(ours.cpuS),
    number(theirs?.cpuS),
    times(ratio),
    number(ours.peakMiB),
    number(theirs?.peakMiB),
    ours.goal === undefined ? '' : `goal ${ours.goal}× of CPU${verdict}`,
  ]
}

/** Prints pairs of our figure and Salt's; whether all goals that could be judged were reached. */
export function printTable(rows: readonly (readonly [Figure, Figure | undefined])[]): boolean {
  const lines = [HEAD, ...rows.map(([ours, theirs]) => cells(ours, theirs))]
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  for (const line of lines) {
    const padded = line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
    process.stdout.write(`${padded.join('  ').trimEnd()}\n`)
  }
  return rows.every(([ours, theirs]) => !(cheaper(ours, theirs) < (ours.goal ?? 0)))
}
