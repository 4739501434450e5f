// Figures of two sides as a table: ours, Salt's, how many times better, and which goals were missed.

/** One number of one side. */
export interface Figure {
  what: string
  unit: string
  value: number
  /** The factor by which it must be better than Salt. */
  goal?: number
  /** The limit for Brine's value, whatever Salt's is. */
  below?: number
}

/** In these units less is better. */
const COSTS = new Set(['ms', 's', 'MiB', 'ms CPU', 'lost'])

/** Prints both sides' figures, a row for each, and gives whether every goal was reached. */
export function printed(rows: Figure[][]): boolean {
  let isGood = true
  const width = Math.max(...rows.map(([ours]) => ours!.what.length))
  process.stdout.write(`${''.padEnd(width)}  ${'brine'.padStart(14)}  ${'salt'.padStart(14)}     ratio\n`)
  const cell = (figure: Figure | undefined): string => {
    if (!figure) return ''.padStart(14)
    return `${figure.value.toFixed(figure.value < 10 ? 3 : 0)} ${figure.unit}`.padStart(14)
  }
  for (const [ours, theirs] of rows) {
    let end = ''
    if (ours && theirs && ours.value + theirs.value > 0) {
      const ratio = COSTS.has(ours.unit) ? theirs.value / ours.value : ours.value / theirs.value
      const missed = ours.goal !== undefined && ratio < ours.goal
      if (missed) isGood = false
      end = `${`${ratio.toFixed(1)}×`.padStart(8)}${ours.goal ? `  goal ${ours.goal}×` : ''}${missed ? '  MISSED' : ''}`
    }
    if (ours?.below !== undefined) {
      const missed = ours.value >= ours.below
      if (missed) isGood = false
      end = `${end.padEnd(8)}  goal < ${ours.below} ${ours.unit}${missed ? '  MISSED' : ''}`
    }
    process.stdout.write(`${ours!.what.padEnd(width)}  ${cell(ours)}  ${cell(theirs)}  ${end}\n`)
  }
  return isGood
}
