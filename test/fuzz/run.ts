// `npm run fuzz -- [--seconds N] [--seed S] [--transport zeromq,tcp,ws] [--attacker stranger,minion,user,path,local,siege]`:
// attacks a site with hand-made bytes for N seconds on each transport. The master and its minions must stay, serve honest
// clients without a stall, stay small, do nothing they may not and tell no secret.
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { toError } from '../../src/base/mod.ts'
import { Chance } from '../faults/chance.ts'
import type { Attacker } from './attack.ts'
import { local } from './local.ts'
import { MARKS, SECRET_FILE } from './mutate.ts'
import { path } from './path.ts'
import { Remains } from './remains.ts'
import { rogue } from './rogue.ts'
import { siege } from './siege.ts'
import { FuzzSite } from './site.ts'
import { stranger } from './stranger.ts'
import { user } from './user.ts'
import { Watch } from './watch.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    transport: { type: 'string', default: 'zeromq,tcp,ws' },
    attacker: { type: 'string', default: 'stranger,minion,user,path,local,siege' },
  },
})

const seed = Number(values.seed)
const chosen = new Set(values.attacker.split(','))

/** How each kind of attacker starts, and how many of them attack at a time. */
const ATTACKERS: Readonly<Record<string, { lanes: number; begin(site: FuzzSite): Attacker | Promise<Attacker> }>> = {
  stranger: { lanes: 2, begin: stranger },
  minion: { lanes: 3, begin: rogue },
  user: { lanes: 2, begin: user },
  path: { lanes: 1, begin: (site) => path(site, new Chance(seed + 1)) },
  local: { lanes: 1, begin: local },
}

async function bombard(site: FuzzSite, watch: Watch, seconds: number): Promise<void> {
  const end = Date.now() + seconds * 1000
  let number = 0
  const lane = async (attacker: Attacker, chance: Chance): Promise<void> => {
    while (Date.now() < end) await watch.attack(attacker(chance))
  }
  const lanes: Promise<void>[] = []
  for (const [name, { lanes: count, begin }] of Object.entries(ATTACKERS)) {
    if (!chosen.has(name)) continue
    const attacker = await begin(site)
    for (let i = 0; i < count; i++) lanes.push(lane(attacker, new Chance(seed + 1000 * ++number)))
  }
  const progress = setInterval(() => {
    if (!process.stdout.isTTY) return
    const left = Math.max(0, (end - Date.now()) / 1000)
    process.stdout.write(
      `\r     ${site.transport}: ${watch.sent} messages, ${left.toFixed()} s left, worst stall ${watch.worstMs.toFixed()} ms  `,
    )
  }, 500)
  await Promise.all(lanes)
  clearInterval(progress)
  if (process.stdout.isTTY) process.stdout.write('\r')
}

interface Outcome {
  problems: string[]
  sent: number
  worstMs: number
  longestMs: number
}

async function fuzz(transport: string): Promise<Outcome> {
  const site = await FuzzSite.open(transport)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void site.close().finally(() => process.exit(1)))
  try {
    const watch = new Watch(site)
    let remains: Remains
    try {
      // memory for large messages stays with the process, so only growth between two sieges is a leak
      if (chosen.has('siege')) await siege(site, watch, new Chance(seed))
      await watch.settled()
      remains = new Remains(site)
      await bombard(site, watch, Number(values.seconds))
      site.rest()
      await watch.settled()
      if (chosen.has('siege')) await siege(site, watch, new Chance(seed))
      await watch.settled()
    } finally {
      await watch.close()
    }
    for (const problem of await remains.problems(watch.sent)) watch.note(problem)
    const problems = [...watch.problems].map(([kind, times]) => (times > 1 ? `${kind} (${times} times)` : kind))
    return { problems, sent: watch.sent, worstMs: watch.worstMs, longestMs: watch.longestMs }
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
    await site.close()
  }
}

let failed = 0
const transports = values.transport.split(',')
process.stdout.write(`seed ${seed}, ${values.seconds} s on each transport\n`)
for (const transport of transports) {
  const { problems, sent, worstMs, longestMs } = await fuzz(transport).catch((error: unknown) => ({
    problems: [toError(error).stack ?? ''],
    sent: 0,
    worstMs: 0,
    longestMs: 0,
  }))
  if (problems.length > 0) failed++
  const numbers = `${sent} messages, worst stall ${worstMs.toFixed()} ms, longest ping ${longestMs.toFixed()} ms`
  process.stdout.write(`${problems.length === 0 ? 'ok  ' : 'FAIL'} fuzzing over ${transport}: ${numbers}\n`)
  for (const problem of problems) process.stdout.write(`     ${problem}\n`)
}
rmSync(MARKS, { recursive: true, force: true })
rmSync(dirname(SECRET_FILE), { recursive: true, force: true })
process.stdout.write(`${transports.length - failed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
