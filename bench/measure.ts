// Measuring: CPU time, not wall time, in turns with the peer, medians. Other work on the machine then hits both alike.

/** CPU milliseconds that `times` calls take, all threads of this process included. */
export type Sampler = (times: number) => Promise<number>

export function sampler(work: () => unknown): Sampler {
  return async (times) => {
    const started = process.cpuUsage()
    for (let i = 0; i < times; i++) {
      const result = work()
      if (result instanceof Promise) await result
    }
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1000
  }
}

export interface Comparison {
  /** Median CPU milliseconds per call. */
  ours: number
  theirs: number
}

export interface CompareOptions {
  rounds?: number
  /** CPU time one sample should take; more calls are put into a sample until it does. */
  sampleMs?: number
  /** CPU time spent before measuring: a long template is many functions, each compiled in its own time. */
  warmUpMs?: number
}

export async function compareWarm(ours: Sampler, theirs: Sampler, options: CompareOptions = {}): Promise<Comparison> {
  const { rounds = 9, sampleMs = 200, warmUpMs = 5000 } = options
  for (let spent = 0; spent < warmUpMs; ) spent += Math.max(await ours(10), 1)
  const ourTimes = await callsFor(ours, sampleMs)
  const theirTimes = await callsFor(theirs, sampleMs)
  const ourSamples: number[] = []
  const theirSamples: number[] = []
  for (let round = 0; round < rounds; round++) {
    ourSamples.push((await ours(ourTimes)) / ourTimes)
    theirSamples.push((await theirs(theirTimes)) / theirTimes)
  }
  return { ours: median(ourSamples), theirs: median(theirSamples) }
}

async function callsFor(sample: Sampler, sampleMs: number): Promise<number> {
  let times = 1
  for (;;) {
    const spent = await sample(times)
    if (spent >= sampleMs / 4) return Math.max(1, Math.round((times * sampleMs) / spent))
    times *= 4
  }
}

export function median(samples: number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export interface Row extends Comparison {
  what: string
  /** How many times faster than the peer it must be; without one the row only informs. */
  goal?: number
}

const reached = ({ ours, theirs, goal = 0 }: Row): boolean => theirs / ours >= goal

/** A table of CPU times with the peer's time over ours, and whether every goal was reached. */
export function report(title: string, peer: string, rows: Row[]): boolean {
  const width = Math.max(...rows.map((row) => row.what.length))
  const lines = [title, `${''.padEnd(width)}  ${'brine'.padStart(10)}  ${peer.padStart(14)}     ratio   goal`]
  for (const row of rows) {
    const ratio = row.theirs / row.ours
    const goal = row.goal === undefined ? '' : `${row.goal}×`
    const verdict = reached(row) ? '' : '  MISSED'
    const cells = [`${milliseconds(row.ours).padStart(10)}`, milliseconds(row.theirs).padStart(14)]
    const end = `${`${ratio.toFixed(2)}×`.padStart(8)}  ${goal.padStart(5)}${verdict}`
    lines.push(`${row.what.padEnd(width)}  ${cells.join('  ')}  ${end}`)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
  return rows.every(reached)
}

function milliseconds(ms: number): string {
  return ms >= 1 ? `${ms.toFixed(2)} ms` : `${(ms * 1000).toFixed(1)} µs`
}
