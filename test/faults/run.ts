// `npm run faults -- [--rounds N] [--seed S] [--minions 200] [--away 60] [--only words]`: does harm to a master and its minions,
// round after round, and looks whether a return was lost. Without `--rounds` each fault has one round. The same seed does the same
// harm. It runs what `npm run build` made.
import { parseArgs } from 'node:util'
import { toError } from '../../src/base/mod.ts'
import { Chance } from './chance.ts'
import { canSetClocks } from './clock.ts'
import { FAULTS } from './faults.ts'
import { FaultSite } from './site.ts'
import { canMount, SmallDisk } from './small-disk.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minions: { type: 'string', default: '200' },
    only: { type: 'string', default: '' },
    away: { type: 'string', default: '2' },
  },
})

async function main(): Promise<number> {
  const chance = new Chance(Number(values.seed))
  const site = new FaultSite()
  site.awaySeconds = Number(values.away)
  await site.cluster.prepare()
  if (canMount()) site.smallDisk = new SmallDisk(site.cluster.cachedir, '24m')
  const names = Object.keys(FAULTS).filter(
    (name) =>
      name.includes(values.only) &&
      (site.smallDisk !== undefined || name !== 'disk full') &&
      (canSetClocks || name !== 'clocks that jump'),
  )
  process.stdout.write(
    `seed ${values.seed}, ${values.minions} minions${site.smallDisk ? '' : ', no small disk here'}${canSetClocks ? '' : ', no clocks to set here'}\n`,
  )
  let failed = 0
  try {
    await site.open(Number(values.minions))
    // first each once, then as chance has it
    for (let round = 0; round < Number(values.rounds ?? names.length); round++) {
      const name = names[round] ?? chance.of(names)
      const started = performance.now()
      const problems = await FAULTS[name]!(site, chance).catch((error: unknown) => [toError(error).stack ?? ''])
      problems.push(...(await site.settle()))
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      if (problems.length > 0) failed++
      process.stdout.write(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)\n`)
      for (const problem of problems) process.stdout.write(`     ${problem}\n`)
    }
  } finally {
    await site.close()
  }
  return failed === 0 ? 0 : 1
}

process.exit(await main())
