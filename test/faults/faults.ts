// The faults. Each does its harm while a job runs and gives what is wrong afterwards: nothing, when every return of what ran
// is there once, or a reason in its place.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from './chance.ts'
import { type FaultSite, REAL, until } from './site.ts'

export type Fault = (site: FaultSite, chance: Chance) => Promise<string[]>

const masterKilled: Fault = async (site, chance) => {
  site.duration = () => chance.whole(0, 300)
  const jid = await site.publish()
  await sleep(chance.whole(0, 300))
  await site.cluster.stop('master', 'SIGKILL')
  await site.startMaster()
  const problems = await site.judge(jid, false)
  await site.listening()
  return problems
}

const masterAway: Fault = async (site, chance) => {
  site.duration = () => chance.whole(100, 1000)
  const jid = await site.publish()
  await sleep(150)
  await site.cluster.stop('master')
  await sleep(chance.whole(1000, 2500))
  await site.startMaster()
  const problems = await site.judge(jid, false)
  await site.listening()
  return problems
}

const connectionsCut: Fault = async (site, chance) => {
  site.duration = () => chance.whole(0, 400)
  const jid = await site.publish()
  for (let i = 0; i < 4; i++) {
    await sleep(chance.whole(20, 150))
    chance.of(site.lines).cut()
  }
  const problems = await site.judge(jid, false)
  await site.listening()
  return problems
}

const connectionsDead: Fault = async (site, chance) => {
  site.duration = () => chance.whole(0, 200)
  const jid = await site.publish()
  await sleep(chance.whole(20, 150))
  for (const line of site.lines) line.deafen()
  const problems = await site.judge(jid, false)
  // the dead ones are noticed in time by heartbeats; here they are ended
  for (const line of site.lines) line.cut()
  await site.listening()
  return problems
}

const duplicates: Fault = async (site, chance) => {
  site.duration = () => chance.whole(0, 200)
  site.copies = () => chance.whole(1, 4)
  try {
    return await site.judge(await site.publish(), true)
  } finally {
    site.copies = () => 1
  }
}

const deafListener: Fault = async (site) => {
  site.duration = () => 0
  const before = site.holds()
  const listeners = Array.from({ length: 3 }, () => connect(site.eventSocket).pause())
  const problems: string[] = []
  for (let i = 0; i < 3; i++) problems.push(...(await site.judge(await site.publish(['x'.repeat(10_000)]), true)))
  const during = site.holds()
  if (during.memoryMiB - before.memoryMiB > 300) problems.push(`the master grew to ${during.memoryMiB} MiB`)
  for (const socket of listeners) socket.destroy()
  await sleep(200)
  const after = site.holds()
  if (after.descriptors > before.descriptors + 2) {
    problems.push(`${after.descriptors} descriptors are open, ${before.descriptors} were`)
  }
  return problems
}

const answering = (site: FaultSite): Promise<void> =>
  until('the real minion answers', async () =>
    (await site.cluster.run(`salt -t 1 ${REAL} test.ping --out=txt`)).stdout.includes('True'),
  )

const minionKilled: Fault = async (site, chance) => {
  const { cluster } = site
  cluster.start(REAL)
  try {
    await answering(site)
    const begun = await cluster.run(`salt ${REAL} test.sleep 1 --async --out=txt`)
    const jid = /\d{20}/.exec(begun.stdout)?.[0]
    if (!jid) return [`no job was begun: ${begun.stdout}${begun.stderr}`]
    await sleep(chance.whole(300, 1400))
    await cluster.stop(REAL, 'SIGKILL')
    cluster.start(REAL)
    await until('the killed minion answers for its job', async () => (await site.returns(jid)).has(REAL))
    const answer = String((await site.returns(jid)).get(REAL)!.get('return'))
    return answer === 'true' || answer.startsWith('The minion was stopped') ? [] : [`the job was answered ${answer}`]
  } finally {
    await cluster.stop(REAL)
  }
}

const clientStays: Fault = async (site) => {
  const { cluster } = site
  cluster.start(REAL)
  try {
    await answering(site)
    const printed = cluster.run(`salt -t 20 ${REAL} test.sleep 2 --out=txt`)
    await sleep(1500)
    await cluster.stop('master', 'SIGKILL')
    await sleep(1000)
    await site.startMaster()
    const { stdout, stderr } = await printed
    await site.listening()
    return stdout.includes(`${REAL}: True`) ? [] : [`salt printed ${stdout}${stderr}`]
  } finally {
    await cluster.stop(REAL)
  }
}

/** The job store lies on a small disk, which somebody fills. */
const diskFull: Fault = async (site, chance) => {
  site.duration = () => chance.whole(100, 400)
  const filler = join(site.cluster.cachedir, 'filler')
  const jid = await site.publish()
  try {
    writeFileSync(filler, Buffer.alloc(SMALL_DISK))
  } catch {
    // that was meant
  }
  await sleep(chance.whole(1000, 2000))
  const early = (await site.returns(jid)).size
  rmSync(filler, { force: true })
  const problems = await site.judge(jid, false)
  if (early === site.sims.length) problems.push('the disk was never full')
  return problems
}

const SMALL_DISK = 24 << 20

/** Puts a small disk under the master's cache; false where that is not allowed. */
export function useSmallDisk(site: FaultSite): boolean {
  try {
    execFileSync('mkdir', ['-p', site.cluster.cachedir])
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK}`, 'tmpfs', site.cluster.cachedir], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}

export function leaveSmallDisk(site: FaultSite): void {
  execFileSync('umount', ['-l', site.cluster.cachedir])
}

export const FAULTS: Readonly<Record<string, Fault>> = {
  'master killed while minions return': masterKilled,
  'master away while jobs end': masterAway,
  'connections cut': connectionsCut,
  'connections dead': connectionsDead,
  'returns sent several times': duplicates,
  'listeners that do not read': deafListener,
  'minion killed while a job runs': minionKilled,
  'client stays through a restart': clientStays,
  'disk full': diskFull,
}
