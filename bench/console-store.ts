// Fills the folders of a master that has not started: accepted keys, and a job of states on all these minions.
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Dict, fromPlain } from '../src/data/mod.ts'
import { SqliteJobs } from '../src/store/mod.ts'

export const JID = '20260101120000000000'

export const minionIds = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `node-${String(index).padStart(5, '0')}.example.org`)

/** Write accepted keys of minions. They share one key, because none of them signs in. */
export function writeKeys(pki: string, ids: readonly string[]): void {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  mkdirSync(join(pki, 'minions'), { recursive: true })
  for (const id of ids) writeFileSync(join(pki, 'minions', id), pem)
}

/** The result of one state; most minions are like each other, some changed, few failed. */
function resultOf(minion: number, state: number): object {
  const isFailed = minion % 97 === 0 && state === 40
  const isSkipped = minion % 97 === 0 && state > 95
  const isChanged = minion % 10 === 0 && state % 25 === minion % 25
  return {
    name: `/etc/service-${state}.conf`,
    __id__: `configuration of service ${state}`,
    __sls__: `services.part${Math.floor(state / 10)}`,
    __run_num__: state,
    result: !isFailed && !isSkipped,
    comment: isFailed ? 'The disk is too small' : `File /etc/service-${state}.conf is in the correct state`,
    changes: isChanged ? { diff: '--- \n+++ \n@@ -1,2 +1,2 @@\n a line\n-workers: 2\n+workers: 4\n' } : {},
    duration: 1 + ((minion * 7 + state * 13) % 900) / 100,
    start_time: `12:00:${String(state % 60).padStart(2, '0')}.${String(minion).padStart(6, '0')}`,
    ...(isSkipped && { __state_ran__: false }),
  }
}

/** Keep a job of states in the store of a master. */
export async function writeJob(cache: string, ids: readonly string[], states: number): Promise<void> {
  mkdirSync(cache, { recursive: true })
  const jobs = new SqliteJobs(join(cache, 'jobs.db'))
  const load = { fun: 'state.apply', user: 'bench', tgt: '*', tgt_type: 'glob', arg: [], jid: JID }
  jobs.saveJob({ jid: JID, load: fromPlain(load) as Dict, minions: ids })
  let saving: Promise<boolean>[] = []
  for (const [index, id] of ids.entries()) {
    const results = Array.from({ length: states }, (_, state) => [
      `file_|-configuration of service ${state}_|-/etc/service-${state}.conf_|-managed`,
      resultOf(index, state),
    ])
    const isFailed = index % 97 === 0
    const data = { id, jid: JID, fun: 'state.apply', return: Object.fromEntries(results), success: !isFailed }
    const ret = fromPlain({ ...data, retcode: isFailed ? 2 : 0 }) as Dict
    saving.push(jobs.saveReturn({ jid: JID, id, data: ret }))
    if (saving.length < 200) continue
    await Promise.all(saving)
    saving = []
  }
  await Promise.all(saving)
  jobs.close()
}
