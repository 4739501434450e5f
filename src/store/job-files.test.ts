import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Dict, decodeMsgpack, type Value } from '../data/mod.ts'
import { JobFiles } from './job-files.ts'

const JID = '20260102030405060708'
const load: Dict = new Map<Value, Value>([
  ['fun', 'test.ping'],
  ['jid', JID],
])

let root: string
let folder: string
let files: JobFiles
let umask: number

beforeEach(() => {
  umask = process.umask(0o027)
  root = mkdtempSync(join(tmpdir(), 'brine-job-files-'))
  folder = join(root, 'jobs')
  files = new JobFiles({ folder, hashType: 'sha256' })
})
afterEach(() => {
  process.umask(umask)
  rmSync(root, { recursive: true })
})

/** The directory where Salt's `local_cache` looks for a job. */
function place(jid: string, hashType = 'sha256'): string {
  const hash = createHash(hashType).update(jid).digest('hex')
  return join(folder, hash.slice(0, 2), hash.slice(2))
}
const read = (...parts: string[]): Value => decodeMsgpack(readFileSync(join(place(JID), ...parts)), { dialect: 'bus' })
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

describe('the files of a job', () => {
  it('are stored where Salt reads them, with the expected content', () => {
    expect(files.has(JID)).toBe(false)
    files.saveJob({ jid: JID, load, minions: ['web2', 'web1'] })
    expect(files.has(JID)).toBe(true)
    expect(readFileSync(join(place(JID), 'jid'), 'utf8')).toBe(JID)
    expect([read('.load.p'), read('.minions.p')]).toEqual([load, ['web1', 'web2']])
    files.saveReturn(
      JID,
      'web1',
      new Map<Value, Value>([
        ['id', 'web1'],
        ['return', [1]],
        ['retcode', 2],
        ['success', false],
        ['out', 'nested'],
      ]),
    )
    files.saveReturn(JID, 'web2', new Map([['return', 'hi']]))
    const whole = new Map<Value, Value>([
      ['return', [1]],
      ['retcode', 2],
      ['success', false],
    ])
    expect([read('web1', 'return.p'), read('web1', 'out.p')]).toEqual([whole, 'nested'])
    expect(read('web2', 'return.p')).toEqual(new Map([['return', 'hi']]))
    expect(readdirSync(place(JID)).sort()).toEqual(['.load.p', '.minions.p', 'jid', 'web1', 'web2'])
  })

  it('follow hash_type, and are found again by a new process', () => {
    const other = new JobFiles({ folder, hashType: 'md5' })
    other.saveJob({ jid: JID, load, minions: [] })
    expect(existsSync(join(place(JID, 'md5'), '.load.p'))).toBe(true)
    expect(new JobFiles({ folder, hashType: 'md5' }).has(JID)).toBe(true)
  })

  it('get further minions when the job is published to more of them', () => {
    files.saveJob({ jid: JID, load, minions: ['b'] })
    files.saveJob({ jid: JID, load, minions: ['a', 'b'] })
    expect(read('.minions.p')).toEqual(['a', 'b'])
  })

  it.each(['../../out', 'a/b', '.load.p', '.x', 'jid', 'nocache', 'endtime', ''])('take no return of %j', (id) => {
    files.saveJob({ jid: JID, load, minions: [] })
    files.saveReturn(JID, id, new Map([['return', true]]))
    expect(readdirSync(place(JID)).sort()).toEqual(['.load.p', '.minions.p', 'jid'])
    expect(readdirSync(root)).toEqual(['jobs'])
  })

  it.each(['', 'req', '../x', '1'])('are not made for %j, which is no job id', (jid) => {
    files.saveJob({ jid, load, minions: [] })
    expect([files.has(jid), existsSync(folder)]).toEqual([false, false])
  })

  it('replace what a lost store left of a return', () => {
    files.saveJob({ jid: JID, load, minions: [] })
    for (const value of ['old', 'new']) files.saveReturn(JID, 'web1', new Map([['return', value]]))
    expect(read('web1', 'return.p')).toEqual(new Map([['return', 'new']]))
  })

  it('take the place of what a killed master left, and of a file in their way', () => {
    files.saveJob({ jid: JID, load, minions: [] })
    mkdirSync(join(place(JID), '.fresh'))
    writeFileSync(join(place(JID), '.fresh', 'out.p'), 'left')
    writeFileSync(join(place(JID), 'web1'), 'in the way')
    files.saveReturn(JID, 'web1', new Map([['return', true]]))
    expect(readdirSync(join(place(JID), 'web1'))).toEqual(['return.p'])
    rmSync(place(JID), { recursive: true })
    files.saveReturn(JID, 'web2', new Map([['return', true]]))
    expect(read('web2', 'return.p')).toEqual(new Map([['return', true]]))
  })

  it('are for their owner alone, however open the folder is', () => {
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    files.saveJob({ jid: JID, load, minions: [] })
    files.saveReturn(JID, 'web1', new Map([['return', true]]))
    const made = [place(JID), join(place(JID), '..'), join(place(JID), 'web1')]
    expect(made.map(modeOf)).toEqual(['700', '700', '700'])
    expect(['.load.p', '.minions.p', 'jid', 'web1/return.p'].map((name) => modeOf(join(place(JID), name)))).toEqual([
      ...Array<string>(4).fill('600'),
    ])
  })

  it('are for the group too where that may read the folder and local users have rights, whatever the umask', () => {
    process.umask(0o077)
    files = new JobFiles({ folder, hashType: 'sha256', isShared: true })
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    files.saveJob({ jid: JID, load, minions: [] })
    files.saveReturn(JID, 'web1', new Map([['return', true]]))
    const made = [place(JID), join(place(JID), '..'), join(place(JID), 'web1')]
    expect(made.map(modeOf)).toEqual(['750', '750', '750'])
    expect(modeOf(join(place(JID), 'web1', 'return.p'))).toBe('640')
    chmodSync(folder, 0o700)
    files.saveReturn(JID, 'web2', new Map([['return', true]]))
    expect(modeOf(join(place(JID), 'web2', 'return.p'))).toBe('600')
  })

  it('are removed when they are old, and no others', async () => {
    expect(await files.prune(60)).toBe(0)
    const [old, broken, young] = [JID, '20260102030405060709', '20260102030405060710']
    for (const jid of [old, broken, young]) files.saveJob({ jid, load, minions: [] })
    writeFileSync(join(folder, 'notes'), '')
    rmSync(join(place(broken), 'jid'))
    const past = new Date(Date.now() - 120_000)
    for (const path of [join(place(old), 'jid'), place(broken), join(folder, 'notes')]) utimesSync(path, past, past)
    expect(await files.prune(60)).toBe(2)
    expect([old, broken, young].map((jid) => existsSync(place(jid)))).toEqual([false, false, true])
    expect([files.has(old), files.has(young), existsSync(join(folder, 'notes'))]).toEqual([false, true, true])
  })
})
