// Our Debian packages on whole hosts. One host runs Salt's packages, or stand-ins with their files and scripts: ours take over, are upgraded
// by a job of their own minion, and give the host back. The other host has never seen Salt.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePackages } from '../../../tools/package/make.ts'
import { ask } from '../../fleet.ts'
import type { Host } from '../../host.ts'
import { Lab } from '../../lab.ts'
import { standInSalt } from '../../stand-in-salt.ts'
import { STOCK } from '../../stock.ts'

const PROJECT = join(import.meta.dirname, '../../..')
const FOLDER = '/opt/debs'
const OURS = ['brine', 'brine-master', 'brine-minion', 'brine-syndic']
const SALT = ['salt-common', 'salt-master', 'salt-minion', 'salt-syndic']
const SERVICES = ['salt-master', 'salt-minion', 'salt-syndic']
const PATIENCE = { interval: 500 }
const ID = 'db.example.com'

let lab: Lab
let site: Host
let fresh: Host
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'brine-lab-debs-'))
  const say = (): void => undefined
  await makePackages(PROJECT, {
    architecture: 'amd64',
    formats: ['deb'],
    revisions: ['1', '2'],
    compression: 'quick',
    out: folder,
    say,
  })
  await standInSalt(folder)
  lab = await Lab.open({ stock: STOCK })
  ;[site, fresh] = (await lab.bootBare('site', 'fresh')) as [Host, Host]
  for (const host of [site, fresh]) {
    host.copyIn(folder, FOLDER)
    // links to programs that bare hosts do not have
    await host.run(['sh', '-ec', 'rm -f /usr/local/bin/*; apt-get -q update; apt-get -q -y install logrotate'])
  }
})

afterAll(async () => {
  await lab?.close()
  rmSync(folder, { recursive: true, force: true })
})

const file = (name: string, revision: number): string =>
  `${FOLDER}/${name}_0.1.0-${revision}_${name === 'brine' ? 'amd64' : 'all'}.deb`

const INSTALL = ['apt-get', '-q', '-y', '--no-install-recommends', 'install']

const shell = (host: Host, script: string): Promise<string> => host.run(['sh', '-ec', script])

const states = async (host: Host, names: string[]): Promise<Record<string, string>> => {
  const rows = await Promise.all(
    names.map(async (name) => {
      const { stdout } = await host.attempt(['dpkg-query', '-W', '-f', '${db:Status-Status}', name])
      return [name, stdout] as const
    }),
  )
  return Object.fromEntries(rows)
}

const all = (names: string[], state: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, state]))

/** Names, modes, owners and contents of the files below /etc/salt, without those that minions write there. */
const configuration = (host: Host): Promise<string> =>
  shell(
    host,
    `cd /etc/salt; find . -type f ! -name minion_id ! -name _schedule.conf -exec stat -c '%n %a %u:%g' {} + -exec sha256sum {} + | sort`,
  )

const isActive = async (host: Host, unit: string): Promise<string> =>
  (await host.attempt(['systemctl', 'is-active', unit])).stdout.trim()

const show = async (host: Host, unit: string, property: string): Promise<string> =>
  (await host.run(['systemctl', 'show', '-P', property, unit])).trim()

/** The fingerprint of a key as Salt shows it: of its lines between the first and the last. */
const fingerprint = (pem: string): string => {
  const body = pem
    .trim()
    .split('\n')
    .slice(1, -1)
    .map((line) => `${line}\n`)
    .join('')
  return createHash('sha256').update(body).digest('hex').match(/../g)!.join(':')
}

const pair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })

const keys = { master: pair(), minion: pair() }

/** A site as its administrator has it: changed configuration, keys that were accepted, a tree. */
async function setUpSalt(host: Host): Promise<void> {
  host.write('/etc/salt/pki/master/master.pem', keys.master.privateKey, 0o400)
  host.write('/etc/salt/pki/master/master.pub', keys.master.publicKey)
  host.write(`/etc/salt/pki/master/minions/${ID}`, keys.minion.publicKey)
  host.write('/etc/salt/pki/minion/minion.pem', keys.minion.privateKey, 0o400)
  host.write('/etc/salt/pki/minion/minion.pub', keys.minion.publicKey)
  host.write('/etc/salt/pki/minion/minion_master.pub', keys.master.publicKey)
  host.write('/srv/salt/top.sls', `base:\n  '*':\n    - motd\n`)
  host.write('/srv/salt/motd.sls', `/etc/motd:\n  file.managed:\n    - contents: managed\n`)
  await host.run([...INSTALL, ...SALT.map((name) => `${FOLDER}/${name}.deb`)])
  host.write('/etc/salt/master', '# of the administrator\nuser: salt\nsyndic_master: fresh.lab\n')
  host.write('/etc/salt/minion', `# of the administrator\nmaster: 127.0.0.1\nid: ${ID}\n`)
  await shell(
    host,
    // the syndic makes the keys of the minion over to its user, too
    'chown -R salt:salt /etc/salt/pki/master /etc/salt/pki/minion /var/cache/salt/master; systemctl restart salt-master salt-minion salt-syndic',
  )
}

describe('a host with Salt', () => {
  let before = ''

  it('is taken over with its configuration and keys', async () => {
    await setUpSalt(site)
    before = await configuration(site)
    await site.run([...INSTALL, ...OURS.map((name) => file(name, 1))])
    expect(await states(site, OURS)).toEqual(all(OURS, 'installed'))
    expect(await states(site, SALT)).toEqual(all(SALT, 'config-files'))
    await expect.poll(() => isActive(site, 'salt-master'), PATIENCE).toBe('active')
    await expect.poll(() => isActive(site, 'salt-minion'), PATIENCE).toBe('active')
    await expect.poll(() => isActive(site, 'salt-syndic'), PATIENCE).toBe('active')
    expect(await site.run(['salt-call', '--version'])).toContain('salt-call 3008.2')
    await expect
      .poll(() => ask(site, 'salt', '*', 'test.ping', '--static', '-t', '10'), PATIENCE)
      .toEqual({ [ID]: true })
    const master = await show(site, 'salt-master', 'MainPID')
    expect((await shell(site, `stat -c %U /proc/${master}`)).trim()).toBe('salt')
    expect(await configuration(site)).toBe(before)
    expect(JSON.stringify(await ask(site, 'salt-key', '-F', 'master'))).toContain(fingerprint(keys.master.publicKey))
    const syndic = await show(site, 'salt-syndic', 'MainPID')
    expect((await shell(site, `stat -c %U /proc/${syndic}`)).trim()).toBe('salt')
    expect(await site.run(['systemctl', 'is-enabled', ...SERVICES])).toBe('enabled\n'.repeat(3))
  })

  it('has units that are confined as far as their work allows', async () => {
    const exposure = async (unit: string): Promise<number> => {
      const { stdout } = await site.attempt(['systemd-analyze', 'security', '--no-pager', unit])
      return Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1])
    }
    expect(await exposure('salt-master.service')).toBeLessThan(5)
    expect(await exposure('salt-syndic.service')).toBeLessThan(3)
    await site.run(['systemctl', 'reload', ...SERVICES])
    await expect
      .poll(() => shell(site, 'cat /var/log/salt/master /var/log/salt/minion /var/log/salt/syndic'), PATIENCE)
      .toMatch(/salt-master received SIGHUP[\s\S]*salt-minion received SIGHUP[\s\S]*salt-syndic received SIGHUP/)
    expect((await site.run(['logrotate', '-d', '/etc/logrotate.conf'])).match(/error/gi)).toBeNull()
  })

  it('has its states applied', async () => {
    const answer = (await ask(site, 'salt', ID, 'state.highstate', '--static')) as Record<
      string,
      Record<string, { result: boolean }>
    >
    expect(Object.values(answer[ID]!).map(({ result }) => result)).toEqual([true])
    expect(site.read('/etc/motd')).toBe('managed\n')
  })

  it('is upgraded by a job of its own minion, whose return is not lost', async () => {
    const [master, minion] = [await show(site, 'salt-master', 'MainPID'), await show(site, 'salt-minion', 'MainPID')]
    const command = `${INSTALL.join(' ')} ${OURS.map((name) => file(name, 2)).join(' ')} && sleep 5 && echo upgraded`
    const started = await site.run(['salt', '--async', ID, 'cmd.run_all', command])
    const jid = /\b\d{20}\b/.exec(started)![0]
    // the master is restarted by this job as well
    const lookup = async (): Promise<unknown> =>
      JSON.parse((await site.attempt(['salt-run', '--out=json', 'jobs.lookup_jid', jid])).stdout || '{}')
    await expect
      .poll(lookup, PATIENCE)
      .toMatchObject({ [ID]: { retcode: 0, stdout: expect.stringMatching(/upgraded$/) } })
    await expect.poll(() => show(site, 'salt-minion', 'MainPID'), PATIENCE).not.toBe(minion)
    expect(await show(site, 'salt-master', 'MainPID')).not.toBe(master)
    await expect
      .poll(() => ask(site, 'salt', '*', 'test.ping', '--static', '-t', '10'), PATIENCE)
      .toEqual({ [ID]: true })
    expect(await site.run(['dpkg-query', '-W', '-f', '${Version}', 'brine-minion'])).toBe('0.1.0-2')
    expect(await configuration(site)).toBe(before)
    const jobs = (await ask(site, 'salt-run', 'jobs.list_jobs')) as Record<string, { Function: string }>
    const functions = Object.values(jobs).map((job) => job.Function)
    expect(functions).toEqual(expect.arrayContaining(['state.highstate', 'cmd.run_all']))
  })

  it('is given back to Salt by removing the packages', async () => {
    await site.run(['apt-get', '-q', '-y', 'remove', ...OURS])
    expect(await configuration(site)).toBe(before)
    await site.run([...INSTALL, ...SALT.map((name) => `${FOLDER}/${name}.deb`)], {
      env: { DEBIAN_FRONTEND: 'noninteractive' },
    })
    for (const name of SERVICES) expect(await isActive(site, name), name).toBe('active')
    expect(site.read('/run/stand-in-master')).toContain(
      createHash('sha256').update(keys.master.privateKey).digest('hex'),
    )
    expect(await configuration(site)).toBe(before)
  })

  it('keeps everything of Salt when the packages are purged', async () => {
    await site.run(['apt-get', '-q', '-y', 'purge', ...OURS])
    expect(await configuration(site)).toBe(before)
    for (const name of SERVICES) expect(await isActive(site, name), name).toBe('active')
    expect(await site.run(['systemctl', 'is-enabled', ...SERVICES])).toBe('enabled\n'.repeat(3))
    expect(await site.attempt(['ls', '/var/lib/brine', '/usr/lib/brine'])).toMatchObject({ stdout: '' })
  })

  it('stays disabled where the administrator had disabled Salt', async () => {
    await site.run(['systemctl', 'disable', '--now', 'salt-minion', 'salt-syndic'])
    const files = OURS.map((name) => file(name, 1))
    await site.run(['systemd-run', '--wait', '--unit=brine-takeover', 'apt-get', '-y', 'install', ...files])
    for (const name of ['salt-minion', 'salt-syndic']) {
      expect(await isActive(site, name), name).toBe('inactive')
      expect((await site.attempt(['systemctl', 'is-enabled', name])).stdout.trim(), name).toBe('disabled')
    }
    expect(await isActive(site, 'salt-master')).toBe('active')
  })

  it('lets Salt come back in one command', async () => {
    await site.run([...INSTALL, ...SALT.map((name) => `${FOLDER}/${name}.deb`)])
    expect(await states(site, OURS)).toEqual(all(OURS, 'config-files'))
    expect(await configuration(site)).toBe(before)
    expect(await isActive(site, 'salt-master')).toBe('active')
  })

  it('can forget the packages of Salt, as docs/install.md describes it', async () => {
    await site.run([...INSTALL, ...OURS.map((name) => file(name, 1))])
    await shell(
      site,
      `cp -a /etc/salt /etc/salt.keep
      apt-get -y purge ${SALT.join(' ')}
      cp -an /etc/salt.keep/. /etc/salt/
      systemctl enable ${SERVICES.join(' ')}`,
    )
    expect(await states(site, SALT)).toEqual(all(SALT, 'not-installed'))
    expect(await configuration(site)).toBe(before)
    await site.run(['systemctl', 'restart', 'salt-master', 'salt-minion'])
    await expect
      .poll(() => ask(site, 'salt', '*', 'test.ping', '--static', '-t', '10'), PATIENCE)
      .toEqual({ [ID]: true })
    // the keys were there before our packages were, and stay
    await site.run(['apt-get', '-q', '-y', 'purge', ...OURS])
    expect(await configuration(site)).toBe(before)
  })
})

/** Everything outside of what the system itself writes. */
const everything = (host: Host): Promise<string> =>
  shell(
    host,
    `find / -xdev \\( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /opt -o -path /var/log/journal -o -path /var/lib/apt -o -path /var/cache/apt -o -path /var/lib/systemd \\) -prune -o -printf '%y %m %U:%G %p\\n' | grep -vE '/(passwd|group|shadow|gshadow|subuid|subgid)-?$|/var/log/(apt|dpkg|lastlog|faillog)|/var/lib/dpkg|/var/cache/(ldconfig|debconf)|/var/lib/logrotate' | sort -k4`,
  )

describe('a host without Salt', () => {
  let before = ''

  it('gets a master as user salt and a minion, with defaults', async () => {
    before = await everything(fresh)
    await fresh.run([...INSTALL, ...OURS.map((name) => file(name, 1))])
    expect(fresh.read('/etc/salt/master')).toContain('\nuser: salt\n')
    await expect.poll(() => isActive(fresh, 'salt-master'), PATIENCE).toBe('active')
    fresh.write('/etc/salt/minion.d/master.conf', 'master: 127.0.0.1\n')
    await fresh.run(['systemctl', 'restart', 'salt-minion'])
    await expect.poll(() => ask(fresh, 'salt-key', '-L'), PATIENCE).toMatchObject({ minions_pre: ['fresh.lab'] })
    expect(await fresh.attempt(['salt-key', '-y', '-A'])).toMatchObject({ code: 0, stderr: '' })
    await expect
      .poll(() => ask(fresh, 'salt', '*', 'test.ping', '--static', '-t', '10'), PATIENCE)
      .toEqual({ 'fresh.lab': true })
    expect((await shell(fresh, 'stat -c %U:%a /etc/salt/pki/master/master.pem')).trim()).toMatch(/^salt:[46]00$/)
  })

  it('is the master above the other host', async () => {
    fresh.write('/etc/salt/master.d/above.conf', `order_masters: True\nsyndics: ['${ID}']\n`)
    await fresh.run(['systemctl', 'restart', 'salt-master'])
    await site.run([...INSTALL, ...OURS.map((name) => file(name, 1))])
    await site.run(['systemctl', 'restart', ...SERVICES])
    await expect.poll(() => ask(fresh, 'salt-key', '-L'), PATIENCE).toMatchObject({ minions_pre: [ID] })
    await fresh.run(['salt-key', '-y', '-a', ID])
    await expect.poll(() => ask(fresh, 'salt', ID, 'test.ping', '-t', '10'), PATIENCE).toEqual({ [ID]: true })
  })

  it('keeps the id and the keys of the minion for the syndic', async () => {
    const keys = (): Promise<string> => shell(fresh, 'sha256sum /etc/salt/pki/minion/minion.pem')
    const before = await keys()
    await fresh.run(['apt-get', '-q', '-y', 'purge', 'brine-minion'])
    expect(await keys()).toBe(before)
    expect(await isActive(fresh, 'salt-syndic')).toBe('active')
    await fresh.run([...INSTALL, file('brine-minion', 1)])
  })

  it('can install Salt without a question after a removal', async () => {
    await fresh.run(['apt-get', '-q', '-y', 'remove', ...OURS])
    expect(await fresh.attempt(['ls', '/etc/salt/master', '/etc/salt/minion'])).toMatchObject({ stdout: '' })
    await fresh.run([...INSTALL, ...SALT.map((name) => `${FOLDER}/${name}.deb`)])
    expect(await isActive(fresh, 'salt-master')).toBe('active')
    await fresh.run(['apt-get', '-q', '-y', 'purge', ...SALT])
    await fresh.run([...INSTALL, ...OURS.map((name) => file(name, 1))])
  })

  it('has nothing left after a purge', async () => {
    await shell(fresh, 'rm /etc/salt/minion.d/master.conf /etc/salt/master.d/above.conf')
    await fresh.run(['apt-get', '-q', '-y', 'purge', ...OURS])
    const after = await everything(fresh)
    const left = after.split('\n').filter((line) => !before.includes(line))
    expect(left).toEqual([])
    expect((await fresh.attempt(['systemctl', 'list-unit-files', 'salt*'])).stdout).toContain('0 unit files')
  })
})
