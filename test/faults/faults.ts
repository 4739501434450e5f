// The faults. Each acts while a job runs and returns the problems afterwards: none if every return of a job that ran is
// there once, or a reason in its place.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Libsql from 'libsql'
import { until } from '../until.ts'
import { API_FAULTS } from './api-faults.ts'
import type { Chance } from './chance.ts'
import { Clock } from './clock.ts'
import { type FaultSite, REAL } from './site.ts'

/** The default of `job_delivery_window`. */
const DELIVERY_SECONDS = 15

export type Fault = (site: FaultSite, chance: Chance) => Promise<string[]>

const masterKilled: Fault = async (site, chance) => {
  site.duration = () => chance.whole(0, 300)
  const jid = await site.publish()
  await sleep(chance.whole(0, 300))
  await site.cluster.stop('master', 'SIGKILL')
  await site.startMaster()
  const problems = await site.judge(jid, true)
  await site.listening()
  return problems
}

const masterAway: Fault = async (site, chance) => {
  site.duration = () => chance.whole(100, 1000)
  const jid = await site.publish()
  await sleep(150)
  await site.cluster.stop('master')
  await sleep(site.awaySeconds * chance.whole(500, 1000))
  await site.startMaster()
  const problems = await site.judge(jid, site.awaySeconds < DELIVERY_SECONDS / 2)
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
  const problems = await site.judge(jid, true)
  for (let i = 0; i < 4; i++) {
    site.publications.cut()
    problems.push(...(await site.judge(await site.publish(), true)))
  }
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

const connectionsHalfOpen: Fault = async (site, chance) => {
  site.duration = () => chance.whole(0, 200)
  const jid = await site.publish()
  await sleep(chance.whole(20, 150))
  for (const line of site.lines) line.halve()
  const problems = await site.judge(jid, false)
  // without any notice: minions must detect that they receive nothing any more
  await site.listening()
  for (const line of site.lines) line.mend()
  await site.listening()
  return problems
}

/** Several jobs at once, whose returns come in any order, some again after others, and some after a restart again. */
const reordered: Fault = async (site, chance) => {
  site.duration = () => chance.whole(0, 1200)
  site.copies = () => chance.whole(1, 3)
  const heard = await site.returnEvents()
  try {
    const jids: string[] = []
    for (let i = 0; i < 4; i++) jids.push(await site.publish())
    const problems = (await Promise.all(jids.map((jid) => site.judge(jid, true)))).flat()
    const expected = jids.flatMap((jid) => site.sims.map(({ id }) => `salt/job/${jid}/ret/${id}`))
    const told = await heard.counts(expected)
    for (const [who, times] of told) if (times > 1) problems.push(`the return ${who} was told ${times} times`)
    if (!expected.every((tag) => told.has(tag))) problems.push(`${told.size} returns were told`)
    await site.cluster.stop('master', 'SIGKILL')
    await site.startMaster()
    await site.listening()
    const before = await site.returns(jids[0]!)
    await Promise.all(site.sims.map((sim) => sim.repeat(jids[0]!)))
    const after = await site.returns(jids[0]!)
    if (after.size !== before.size) problems.push('returns that came again were counted again')
    for (const [id, data] of after)
      if (data.get('return') !== before.get(id)?.get('return')) problems.push(`${id} could change what it returned`)
    return problems.slice(0, 5)
  } finally {
    heard.close()
    site.copies = () => 1
  }
}

const HOUR = 3600

/** The clocks of the master and of a minion are set, forwards and back, while jobs run. */
const clockJumps: Fault = async (site, chance) => {
  const { cluster } = site
  const problems: string[] = []
  const clocks = {
    master: new Clock(join(cluster.root, 'master.clock')),
    minion: new Clock(join(cluster.root, 'minion.clock')),
  }
  await cluster.stop('master')
  await clocks.master.during(() => site.startMaster())
  await clocks.minion.during(async () => cluster.start(REAL))
  try {
    await answering(site)
    await site.listening()
    for (let i = 0; i < 4; i++) {
      site.duration = () => chance.whole(0, 600)
      const jid = await site.publish()
      if (clocks.master.distance(jid) > HOUR / 2) problems.push(`job ${jid} does not go by the clock that was set`)
      const real = cluster.run(`salt -t 20 ${REAL} test.sleep 1 --out=txt`)
      await sleep(200)
      clocks.master.jump(chance.whole(-6, 6) * HOUR)
      clocks.minion.jump(chance.whole(-6, 6) * HOUR)
      problems.push(...(await site.judge(jid, true)))
      const { stdout, stderr } = await real
      if (!stdout.includes(`${REAL}: True`)) problems.push(`salt printed ${stdout}${stderr}`)
    }
  } finally {
    await cluster.stop(REAL)
    await cluster.stop('master')
    await site.startMaster()
    await site.listening()
  }
  return problems.slice(0, 5)
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
  await until('the master closes them', async () => site.holds().descriptors <= before.descriptors + 2)
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

/** Whether one of the files that a minion keeps its returns in is of this job. */
const isIn = (outbox: string, jid: string): boolean =>
  existsSync(outbox) &&
  readdirSync(outbox).some((name) => name.endsWith('.p') && readFileSync(join(outbox, name), 'latin1').includes(jid))

/** The job is done and its return on disk, and the master has not said that it came: it must come, and the job not run again. */
const minionKilledBeforeReturn: Fault = async (site) => {
  const { cluster } = site
  const [marks, go] = [join(cluster.root, 'marks'), join(cluster.root, 'go')]
  for (const file of [marks, go]) rmSync(file, { force: true })
  cluster.start(REAL)
  try {
    await answering(site)
    const command = `until [ -e ${go} ]; do sleep 0.1; done; echo ran | tee -a ${marks}`
    const begun = await cluster.run(`salt ${REAL} cmd.run '${command}' --async --out=txt`)
    const jid = /\d{20}/.exec(begun.stdout)?.[0]
    if (!jid) return [`no job was begun: ${begun.stdout}${begun.stderr}`]
    const cache = join(cluster.root, 'minions', REAL, 'cache')
    await until('the job runs', () => existsSync(join(cache, 'proc', jid)))
    process.kill(cluster.pidOf('master'), 'SIGSTOP')
    writeFileSync(go, '')
    await until('the return is on disk', () => isIn(join(cache, 'outbox'), jid))
    await cluster.stop(REAL, 'SIGKILL')
    process.kill(cluster.pidOf('master'), 'SIGCONT')
    cluster.start(REAL)
    await until('the return comes', async () => (await site.returns(jid)).has(REAL))
    const answer = String((await site.returns(jid)).get(REAL)!.get('return'))
    const ran = readFileSync(marks, 'utf8')
    return answer === 'ran' && ran === 'ran\n' ? [] : [`the job was answered ${answer}, and left ${ran}`]
  } finally {
    process.kill(cluster.pidOf('master'), 'SIGCONT')
    await cluster.stop(REAL)
  }
}

/** `salt` waits for many minions while the master is killed and restarted, and prints each return. */
const clientStays: Fault = async (site, chance) => {
  site.duration = () => chance.whole(500, 4000)
  const printed = site.cluster.run("salt -t 120 'sim-*' fault.note --out=txt")
  const some = site.sims[0]!
  const known = new Set(some.ran.keys())
  await until('the job is out', async () => [...some.ran.keys()].some((jid) => !known.has(jid)))
  const jid = [...some.ran.keys()].find((each) => !known.has(each))!
  await until('somebody has returned', async () => (await site.returns(jid)).size > 0)
  await site.cluster.stop('master', 'SIGKILL')
  await sleep(500)
  await site.startMaster()
  const { stdout, stderr } = await printed
  const problems = await site.judge(jid, true)
  await site.listening()
  const missing = site.sims.filter(({ id }) => !stdout.includes(`${id}: ${id} ran ${jid}\n`))
  if (missing.length > 0)
    problems.push(`salt did not print ${missing.length} returns: ${stderr}${stdout.slice(0, 300)}`)
  return problems
}

/** The job store is on a small disk, which is filled. */
const diskFull: Fault = async (site, chance) => {
  site.duration = () => chance.whole(0, 300)
  const release = site.holdJobs()
  const jid = await site.publish()
  await until('all minions run the job', () => site.sims.every(({ ran }) => ran.has(jid)))
  const jobs = join(site.cluster.cachedir, 'jobs.db')
  await until('the job store reserves no space', () => freesItsLog(jobs))
  site.smallDisk!.fill()
  release()
  await sleep(chance.whole(1000, 2000))
  const early = (await site.returns(jid)).size
  site.smallDisk!.free()
  const problems = await site.judge(jid, false)
  if (early === site.sims.length) problems.push('the disk was never full')
  return problems
}

/** Cut a database's log to nothing; without that a full disk has room for returns within the log. */
function freesItsLog(file: string): boolean {
  const database = new Libsql(file)
  try {
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
  return statSync(`${file}-wal`).size === 0
}

export const FAULTS: Readonly<Record<string, Fault>> = {
  'master killed while minions return': masterKilled,
  'master away while jobs end': masterAway,
  'connections cut': connectionsCut,
  'connections dead': connectionsDead,
  'connections half open': connectionsHalfOpen,
  'returns sent several times': duplicates,
  'returns in any order': reordered,
  'listeners that do not read': deafListener,
  'minion killed while a job runs': minionKilled,
  'minion killed before its return came': minionKilledBeforeReturn,
  'client stays through a restart': clientStays,
  'clocks that jump': clockJumps,
  'disk full': diskFull,
  ...API_FAULTS,
}
