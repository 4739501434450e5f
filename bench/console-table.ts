// The tables of the bench of the console.
import type { Look, Strain } from './console-visit.ts'

export const GOALS = { paintMs: 1000, taskMs: 100, memoryMiB: 300 }

/** A view that was open while a job ran. */
export interface Row extends Strain {
  what: string
  paintMs: number
  /** CPU time of the longest task while it was scrolled through afterwards. */
  scrollMs?: number
  /** From the request for the job to its last return. */
  jobMs: number
  /** From the request for the job until the page showed all returns. */
  allMs?: number
  /** CPU time of the master from the request for the job on. */
  masterCpuS: number
  memoryMiB: number
  heapMiB: number
}

type Cell = readonly [title: string, value: number | undefined, goal?: number]

const WHAT_WIDTH = 20
const LEAST_WIDTH = 14

const isMissed = ([, value, goal]: Cell): boolean => value !== undefined && goal !== undefined && value > goal

const textOf = (cell: Cell): string =>
  cell[1] === undefined ? '' : `${cell[1].toFixed(0)}${isMissed(cell) ? ' (missed)' : ''}`

/** Prints each row when it is measured: a run takes minutes. */
class Printing {
  private isBegun = false
  private isGood = true

  row(what: string, cells: readonly Cell[]): void {
    const line = (first: string, texts: readonly string[]): void => {
      const padded = texts.map((text, at) => text.padStart(Math.max(LEAST_WIDTH, cells[at]![0].length)))
      process.stdout.write(`${[first.padEnd(WHAT_WIDTH), ...padded].join('  ').trimEnd()}\n`)
    }
    if (!this.isBegun)
      line(
        '',
        cells.map(([title]) => title),
      )
    this.isBegun = true
    line(what, cells.map(textOf))
    if (cells.some(isMissed)) this.isGood = false
  }

  /** Return whether no value was above its goal. */
  end(): boolean {
    const { paintMs, taskMs, memoryMiB } = GOALS
    process.stdout.write(
      `goals: first paint ${paintMs} ms, longest task ${taskMs} ms of CPU time, memory ${memoryMiB} MiB\n`,
    )
    return this.isGood
  }
}

/** Print looks as they come. Return whether they reached the goals. */
export async function printLooks(looks: AsyncIterable<Look>): Promise<boolean> {
  const printing = new Printing()
  for await (const { what, paintMs, taskMs, memoryMiB } of looks)
    printing.row(what, [
      ['first paint, ms', paintMs, GOALS.paintMs],
      ['longest task, ms', taskMs, GOALS.taskMs],
      ['memory, MiB', memoryMiB, GOALS.memoryMiB],
    ])
  return printing.end()
}

/** Print rows as they come. Return whether they reached the goals. */
export async function printRows(rows: AsyncIterable<Row>): Promise<boolean> {
  const printing = new Printing()
  for await (const row of rows)
    printing.row(row.what, [
      ['first paint, ms', row.paintMs, GOALS.paintMs],
      ['longest task, ms', row.taskMs, GOALS.taskMs],
      ['while scrolling', row.scrollMs, GOALS.taskMs],
      ['all tasks, ms', row.allTasksMs],
      ['frames/s', row.framesPerS],
      ['longest gap, ms', row.gapMs],
      ['last return, ms', row.jobMs],
      ['all shown, ms', row.allMs],
      ['master, CPU s', row.masterCpuS],
      ['memory, MiB', row.memoryMiB, GOALS.memoryMiB],
      ['heap, MiB', row.heapMiB],
    ])
  return printing.end()
}
