// Backups of a master under load, and restores of it: confirmed data is there, and hostile archives have no effect.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JournalReader } from '../../src/bus/mod.ts'
import { run as restore } from '../../src/cli/upkeep/restore.ts'
import { type TarEntry, tarHead, tarPadding, toPlain } from '../../src/data/mod.ts'
import { until } from '../until.ts'
import { type TestMaster, TestSite } from './site.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'brine.js')

const GPG = '/usr/bin/gpg'

interface Ran {
  code: number
  out: string
  err: string
}

async function brine(...words: string[]): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, ...words])
    return { code: 0, out: stdout, err: stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, out: stdout, err: stderr }
  }
}

/** The same command in this process. */
async function restoring(...words: string[]): Promise<Ran> {
  const ran = { code: 0, out: '', err: '' }
  ran.code = await restore(words, {
    out: (text) => void (ran.out += text),
    err: (text) => void (ran.err += text),
    terminal: false,
  })
  return ran
}

describe('a backup of a master under load', () => {
  let site: TestSite
  let master: TestMaster
  let archive: string
  const acknowledged: string[] = []
  let before: string[]

  beforeAll(async () => {
    site = await TestSite.open()
    master = await site.master()
    for (const id of ['web1', 'web2']) await site.minion(id)
    archive = join(site.root, 'master.tar.gz')
    await until('both minions answer', async () => {
      const jid = await master.publish('*', 'test.ping')
      return (await master.event(new RegExp(`${jid}/ret/web1`))) !== undefined
    })
    let isRunning = true
    const load = (async () => {
      while (isRunning) {
        const jid = await master.publish('*', 'test.arg', ['x'.repeat(3000)])
        for (const id of ['web1', 'web2']) await master.event(new RegExp(`^salt/job/${jid}/ret/${id}$`))
        acknowledged.push(jid)
      }
    })()
    await until('some jobs are done', () => acknowledged.length >= 20)
    before = [...acknowledged]
    const made = await brine('backup', '-c', master.config, '--out', archive)
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(made.out).toContain('private keys')
    const during = acknowledged.length
    await until('more jobs are done', () => acknowledged.length > during + 5)
    isRunning = false
    await load
  })
  afterAll(() => site.close())

  it('is only for its owner to read, leaves nothing else behind, and is what its manifest says', async () => {
    expect(statSync(archive).mode & 0o777).toBe(0o600)
    expect(readdirSync(site.root).filter((name) => /part|backup/.test(name))).toEqual([])
    const { code, out } = await restoring(archive, '--verify', '--list')
    expect([code, out]).toEqual([0, expect.stringContaining('All files are what the manifest says')])
    expect(out).toContain('pki/master/master.pem')
    expect(out).toMatch(/0600 \d+ .*jobs\.db\n/)
    const again = await brine('backup', '-c', master.config, '--out', archive)
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('is there already')])
  })

  it.skipIf(!existsSync(GPG))(
    'is encrypted to a key of GnuPG, and is not there when that fails (needs gpg)',
    async () => {
      const home = join(site.root, 'gpg')
      mkdirSync(home, { mode: 0o700 })
      const env = { ...process.env, GNUPGHOME: home }
      const key = ['--batch', '--quiet', '--passphrase', '', '--quick-gen-key', 'backup@example.com']
      await promisify(execFile)(GPG, key, { env })
      const file = join(site.root, 'encrypted.tar.gz.gpg')
      const words = ['backup', '-c', master.config, '--out', file, '--encrypt-to']
      process.env['GNUPGHOME'] = home
      try {
        const unknown = await brine(...words, 'nobody@example.com')
        expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('Cannot encrypt the archive: gpg')])
        expect(existsSync(file)).toBe(false)
        expect((await brine(...words, 'backup@example.com')).code).toBe(0)
        expect(readFileSync(file).includes('brine-backup.json')).toBe(false)
        expect((await restoring(file, '--verify')).out).toContain('All files are what the manifest says')
      } finally {
        delete process.env['GNUPGHOME']
        await promisify(execFile)('gpgconf', ['--kill', 'all'], { env })
      }
    },
  )

  it('is refused while the master runs, and over files that are there', async () => {
    const running = await restoring(archive, '-c', master.config, '--force')
    expect([running.code, running.err]).toEqual([1, expect.stringContaining('The master runs on this machine')])
    await master.stop()
    const { code, err } = await restoring(archive, '-c', master.config)
    expect([code, err]).toEqual([1, expect.stringContaining('is not empty')])
    expect((await restoring(archive, '-c', master.config, '--force', '--test')).out).toContain('Would restore')
  })

  it('gives back every job and event that was acknowledged before it, and minions come back with their keys', async () => {
    const pem = join(site.root, 'master', 'etc', 'salt', 'pki', 'master', 'master.pem')
    const key = readFileSync(pem, 'utf8')
    writeFileSync(pem, 'lost')
    rmSync(join(site.root, 'master', 'var', 'cache', 'salt', 'master', 'jobs.db'))
    const restored = await brine('restore', archive, '-c', master.config, '--force')
    expect(restored).toMatchObject({ code: 0, err: '' })
    expect(restored.out).toContain('The files from before are in')
    expect([readFileSync(pem, 'utf8'), statSync(pem).mode & 0o777]).toEqual([key, 0o400])
    master.seen.splice(0)
    await master.start()
    await until('the minions are back', async () => (await master.ask('web1', 'test.ping')) === true)
    const { value: listed } = await master.run('jobs.list_jobs')
    const jobs = Object.keys(toPlain(listed) as object)
    expect(before.filter((jid) => !jobs.includes(jid))).toEqual([])
    for (const jid of before) {
      const { value } = await master.run('jobs.lookup_jid', [jid])
      expect(Object.keys(toPlain(value) as object).sort(), jid).toEqual(['web1', 'web2'])
    }
    const cache = join(site.root, 'master', 'var', 'cache', 'salt', 'master')
    const tags = new Set(
      new JournalReader(join(cache, 'events'), () => ({ returnOf: () => undefined })).tags({ number: 0 }),
    )
    const missing = before.flatMap((jid) => ['web1', 'web2'].map((id) => `salt/job/${jid}/ret/${id}`))
    expect(missing.filter((tag) => !tags.has(tag))).toEqual([])
    expect(existsSync(join(site.root, 'master', 'etc', 'salt', 'pki', 'master', 'minions_pre', 'web1'))).toBe(false)
  })

  it('that is killed while it is restored leaves the old files, or says how to go on', async () => {
    await master.stop()
    const cache = join(site.root, 'master', 'var', 'cache', 'salt', 'master')
    const child: ChildProcess = spawn(process.execPath, [PROGRAM, 'restore', archive, '-c', master.config, '--force'], {
      stdio: 'ignore',
    })
    await until('the exchange begins', () => existsSync(join(cache, '.brine-restore')) || child.exitCode !== null)
    child.kill('SIGKILL')
    await until('it is gone', () => child.exitCode !== null || child.signalCode !== null)
    if (existsSync(join(cache, '.brine-restore', 'plan.json'))) {
      await expect(master.start()).rejects.toThrow('was interrupted')
      const { out, err } = await restoring('--continue', '-c', master.config)
      expect(out, err).toContain('Finished')
    }
    await master.start()
    await until('the minions are back', async () => (await master.ask('web2', 'test.ping')) === true)
  })
})

describe('a hostile archive', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'brine-hostile-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const own = { uid: process.getuid!(), gid: process.getgid!() }
  const head = (path: string, more: object = {}): object => ({
    format: 1,
    brine: '0.1.0',
    salt: '3008.2',
    host: 'evil',
    master: 'master',
    time: '2026-01-01T00:00:00.000Z',
    areas: [{ name: 'config', path, mode: 0o755, owner: 0 }],
    owners: [own],
    ...more,
  })

  interface Written extends Partial<TarEntry> {
    path: string
    text?: string
    /** The letter of the type in the header. */
    type?: string
  }

  const entry = ({ path, text = '', kind = 'file', type, ...more }: Written): Buffer => {
    const body = Buffer.from(text)
    const block = tarHead({ path, kind, size: body.length, mode: 0o600, mtime: 0, ...more })
    if (type !== undefined) {
      block.write(type, 156, 'latin1')
      block.fill(' ', 148, 156)
      const sum = block.reduce((total, byte) => total + byte, 0)
      block.write(`${sum.toString(8).padStart(6, '0')}\0`, 148, 'latin1')
    }
    return Buffer.concat([block, body, Buffer.alloc(tarPadding(body.length))])
  }

  /** An archive of some entries, with a manifest that agrees with them. */
  function archiveOf(entries: Written[], about: object = head('/srv/evil'), more: object = {}): string {
    const files = entries.map(({ path, text = '', kind = 'file', link }) => ({
      path,
      kind,
      size: Buffer.byteLength(text),
      ...(kind === 'file' && { sha256: createHash('sha256').update(text).digest('hex') }),
      mode: 0o600,
      owner: 0,
      ...(link !== undefined && { link }),
    }))
    const manifest = { head: about, files, databases: {}, skipped: [], ...more }
    const file = join(folder, 'evil.tar')
    writeFileSync(
      file,
      Buffer.concat([
        entry({ path: 'brine-backup.json', text: JSON.stringify(about) }),
        ...entries.map(entry),
        entry({ path: 'brine-manifest.json', text: JSON.stringify(manifest) }),
        Buffer.alloc(1024),
      ]),
    )
    return file
  }

  const into = (): string => join(folder, 'root')
  const untouched = (): void => expect(existsSync(join(into(), 'srv', 'evil', '.brine-restore'))).toBe(false)

  it.each([
    ['a path that leads up', [{ path: 'area-0/../../../escaped', text: 'x' }], 'names the path'],
    ['an absolute path', [{ path: '/tmp/escaped', text: 'x' }], 'names the path'],
    ['a path outside of its directories', [{ path: 'elsewhere/x', text: 'x' }], 'in none of its directories'],
    ['a hard link', [{ path: 'area-0/x', type: '1', link: '/etc/shadow' }], "type '1'"],
    ['a device', [{ path: 'area-0/x', type: '3' }], "type '3'"],
    ['a link that leads out', [{ path: 'area-0/x', kind: 'link', link: '../../../etc' }], 'leads out'],
    ['an absolute link', [{ path: 'area-0/x', kind: 'link', link: '/etc' }], 'leads out'],
    [
      'a file below a link of its own',
      [
        { path: 'area-0/x', kind: 'link', link: 'y' },
        { path: 'area-0/x/cron', text: 'x' },
      ],
      'is no directory',
    ],
    [
      'a file twice',
      [
        { path: 'area-0/x', text: 'x' },
        { path: 'area-0/x', text: 'y' },
      ],
      'twice',
    ],
    [
      'a second name of a directory, to write through a link',
      [
        { path: 'area-0/a/b/c/link', kind: 'link', link: '../../..' },
        { path: 'area-00/a/b/c/link/out', kind: 'link', link: '../../../../escaped' },
        { path: 'area-000/out/x', text: 'x' },
      ],
      'in none of its directories',
    ],
    ['the directory of restores', [{ path: 'area-0/.brine-restore/plan.json', text: '{}' }], 'is not taken'],
    ['files from before a restore', [{ path: 'area-0/.before-restore-1', text: 'x' }], 'is not taken'],
  ] as Array<[string, Written[], string]>)('with %s is refused', async (_, entries, why) => {
    const { code, err } = await restoring(archiveOf(entries), '--into', into())
    expect([code, err]).toEqual([1, expect.stringContaining(why)])
    untouched()
  })

  it('restores no chain of links that leads out of their directory', async () => {
    const file = archiveOf([
      { path: 'area-0/deep/up', kind: 'link', link: '..' },
      { path: 'area-0/deep/out', kind: 'link', link: 'up/../secret' },
      { path: 'area-0/deep/secret', text: 'inside' },
    ])
    mkdirSync(join(into(), 'srv'), { recursive: true })
    writeFileSync(join(into(), 'srv', 'secret'), 'outside')
    expect(await restoring(file, '--into', into())).toMatchObject({ code: 0 })
    expect(readFileSync(join(into(), 'srv', 'evil', 'deep', 'out'), 'utf8')).toBe('inside')
    rmSync(into(), { recursive: true })
  })

  it('restores to no directory that is not one of the master here', async () => {
    const file = archiveOf([{ path: 'area-0/evil', text: 'x' }], head('/etc/cron.d'))
    const { code, err } = await restoring(file, '-c', folder)
    expect([code, err]).toEqual([1, expect.stringContaining('which is no directory of the master')])
    expect(existsSync('/etc/cron.d/evil')).toBe(false)
  })

  it('restores to no directory outside of the one that stands for /', async () => {
    const file = archiveOf([{ path: 'area-0/x', text: 'x' }], head('/../escaped'))
    const { code, err } = await restoring(file, '--into', into())
    expect([code, err]).toEqual([1, expect.stringContaining('which is not taken')])
    expect(existsSync(join(folder, 'escaped'))).toBe(false)
  })

  it('that was changed, cut short or made by a newer version is refused before anything is touched', async () => {
    const good = archiveOf([{ path: 'area-0/master', text: 'interface: 0.0.0.0' }])
    const bytes = readFileSync(good)
    const changed = join(folder, 'changed.tar')
    writeFileSync(changed, Buffer.from(bytes.toString('latin1').replace('0.0.0.0', '6.6.6.6'), 'latin1'))
    expect((await restoring(changed, '--into', into())).err).toContain('is not what its manifest says')
    writeFileSync(changed, bytes.subarray(0, 2048))
    expect((await restoring(changed, '--into', into())).err).toContain('cut short')
    const newer = archiveOf([{ path: 'area-0/x' }], head('/srv/evil', { format: 9 }))
    expect((await restoring(newer, '--into', into())).err).toContain('has form 9')
    const database = { databases: { 'area-0/x': { name: 'jobs', version: '9.0' } } }
    const newest = archiveOf([{ path: 'area-0/x' }], head('/srv/evil'), database)
    expect((await restoring(newest, '--into', into())).err).toContain('has version 9.0')
    untouched()
  })

  it('is not written through a link at its destination, nor to where others can write', async () => {
    const file = archiveOf([{ path: 'area-0/master', text: 'x' }])
    mkdirSync(join(folder, 'linked'))
    symlinkSync(folder, join(folder, 'linked', 'srv'))
    expect((await restoring(file, '--into', join(folder, 'linked'))).err).toContain('is a link to')
    mkdirSync(join(folder, 'open'), { mode: 0o700 })
    await promisify(execFile)('chmod', ['777', join(folder, 'open')])
    expect((await restoring(file, '--into', join(folder, 'open'))).err).toContain('can be changed by other users')
    const { code } = await restoring(file, '--into', into())
    expect([code, readFileSync(join(into(), 'srv', 'evil', 'master'), 'utf8')]).toEqual([0, 'x'])
  })
})
