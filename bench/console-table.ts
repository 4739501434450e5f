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

/** Print rows of cells under their titles. Return whether no value is above its goal. */
function printCells(rows: ReadonlyArray<{ what: string; cells: readonly Cell[] }>): boolean {
  const isMissed = ([, value, goal]: Cell): boolean => value !== undefined && goal !== undefined && value > goal
  const text = (cell: Cell): string =>
    cell[1] === undefined ? '' : `${cell[1].toFixed(0)}${isMissed(cell) ? ' (missed)' : ''}`
  const titles = rows[0]?.cells.map(([title]) => title) ?? []
  const lines = rows.map(({ what, cells }) => [what, ...cells.map(text)])
  const widths = ['', ...titles].map((title, at) => Math.max(title.length, ...lines.map((line) => line[at]!.length)))
  for (const line of [['', ...titles], ...lines]) {
    const padded = line.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[at]!)))
    process.stdout.write(`${padded.join('  ').trimEnd()}\n`)
  }
  const { paintMs, taskMs, memoryMiB } = GOALS
  process.stdout.write(
    `goals: first paint ${paintMs} ms, longest task ${taskMs} ms of CPU time, memory ${memoryMiB} MiB\n`,
  )
  return !rows.some(({ cells }) => cells.some(isMissed))
}

export const printLooks = (looks: readonly Look[]): boolean =>
  printCells(
    looks.map(({ what, paintMs, taskMs, memoryMiB }) => ({
      what,
      cells: [
        ['first paint, ms', paintMs, GOALS.paintMs],
        ['longest task, ms', taskMs, GOALS.taskMs],
        ['memory, MiB', memoryMiB, GOALS.memoryMiB],
      ],
    })),
  )

export const printRows = (rows: readonly Row[]): boolean =>
  printCells(
    rows.map((row) => ({
      what: row.what,
      cells: [
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
      ],
    })),
  )
