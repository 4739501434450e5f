// Some of the minions that have a function, chosen at random.
import { isList } from '../../../../data/mod.ts'
import type { MinionJob, MinionReturn } from '../../../../sdk/mod.ts'

/** Runs a job and yields its returns. */
export type Running = (job: MinionJob) => AsyncIterable<MinionReturn>

export async function everyAnswer(run: Running, job: MinionJob): Promise<MinionReturn[]> {
  const answers: MinionReturn[] = []
  for await (const answer of run(job)) answers.push(answer)
  return answers
}

export async function ableMinions(run: Running, job: MinionJob, count: number): Promise<string[]> {
  const asked = await everyAnswer(run, {
    tgt: job.tgt,
    fun: 'sys.list_functions',
    ...(job.tgtType !== undefined && { tgtType: job.tgtType }),
  })
  const able = asked.filter(({ data }) => {
    const functions = data?.get('return') ?? null
    return isList(functions) && functions.includes(job.fun)
  })
  return able
    .map(({ id }) => ({ id, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ id }) => id)
}
