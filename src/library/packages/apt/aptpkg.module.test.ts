import { describe, expect, it } from 'vitest'
import { type Dict, dictFrom, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Trial, tryFunction } from '../../../sdk/mod.ts'
import resource from '../pkg/module.ts'
import { parseKeys } from './aptpkg/keys.ts'
import apt from './aptpkg.module.ts'

const INSTALLED = `install ok installed nginx 1.20.3-1 amd64
hold ok installed bash 5.2 amd64
install ok installed zlib1g 1.2 i386
deinstall ok config-files mc 3:4.8 amd64
purge ok installed oddity 1.0 all
install ok half-installed broken 1.0 all
`

const CANDIDATES: Readonly<Record<string, string>> = { nginx: '1.22.0-1', sl: '5.02-1', gone: '(none)' }

/** Return the output of `apt-cache policy` for the packages of a command. */
const policy = (line: string): string =>
  Object.entries(CANDIDATES)
    .filter(([name]) => line.split(' ').includes(name))
    .map(([name, candidate]) => `${name}:\n  Installed: (none)\n  Candidate: ${candidate}\n  Version table:\n`)
    .join('')

const grains: Dict = new Map([
  ['os', 'Debian'],
  ['os_family', 'Debian'],
  ['osarch', 'amd64'],
  ['cpuarch', 'x86_64'],
  ['oscodename', 'bookworm'],
])

interface Machine {
  host?: MemoryHost
  /** Answers by the beginning of a command. */
  answers?: Readonly<Record<string, string | { retcode: number; stderr: string }>>
}

/** A Debian machine with recorded outputs; `ran` contains its commands. */
function machine({ host = new MemoryHost(), answers = {} }: Machine = {}) {
  const ran: string[] = []
  const run = (cmd: Value): Dict => {
    const line = (cmd as string[]).join(' ')
    ran.push(line)
    const known: NonNullable<Machine['answers']> = {
      'dpkg-query': INSTALLED,
      'apt-cache -q policy': policy(line),
      ...answers,
    }
    const answer = Object.entries(known).find(([start]) => line.startsWith(start))?.[1] ?? ''
    const facts = typeof answer === 'string' ? { stdout: answer, stderr: '', retcode: 0 } : { stdout: '', ...answer }
    return dictFrom(facts)
  }
  const others: Trial['others'] = {
    'cmd.run_all': ([cmd]) => run(cmd!),
    'pkg.normalize_name': ([name]) => name!,
    'pkg_resource.parse_targets': (args, kwargs) => tryFunction(resource, 'parse_targets', { args, kwargs, grains }),
  }
  const call = (name: string, trial: Trial = {}) => tryFunction(apt, name, { grains, host, others, ...trial })
  return { call, ran, host }
}

const plain = (value: Value): unknown =>
  value instanceof Map ? Object.fromEntries([...value].map(([key, one]) => [key, plain(one)])) : value

describe('installed packages', () => {
  it('are those that dpkg has installed or holds, foreign ones with their architecture', async () => {
    expect(plain(await machine().call('list_pkgs'))).toEqual({
      oddity: '1.0',
      nginx: '1.20.3-1',
      bash: '5.2',
      'zlib1g:i386': '1.2',
      broken: '1.0',
    })
  })

  it('are distinguished from removed ones and from those waiting for a purge', async () => {
    expect(plain(await machine().call('list_pkgs', { kwargs: { removed: true } }))).toEqual({ mc: '3:4.8' })
    const waiting = { purge_desired: true, versions_as_list: true }
    expect(plain(await machine().call('list_pkgs', { kwargs: waiting }))).toEqual({ oddity: ['1.0'] })
  })
})

describe('latest_version', () => {
  const kwargs = { refresh: false }

  it('is the candidate when it is newer than what is installed', async () => {
    expect(await machine().call('latest_version', { args: ['nginx'], kwargs })).toBe('1.22.0-1')
  })

  it('is given by name for several packages, empty for unknown ones', async () => {
    const versions = await machine().call('latest_version', { args: ['sl', 'gone', 'unheard'], kwargs })
    expect(plain(versions)).toEqual({ sl: '5.02-1', gone: '', unheard: '' })
  })
})

describe('refresh_db', () => {
  it('reports for each source whether it was fetched', async () => {
    const stdout =
      'Hit:1 http://x bookworm InRelease\nGet:2 http://y main [15.2 kB]\nIgn:3 http://z main\nErr:4 http://w main\n'
    const answers = { 'apt-get -q update': stdout }
    expect(plain(await machine({ answers }).call('refresh_db'))).toEqual({
      'http://x bookworm InRelease': null,
      'http://y main': true,
      'http://z main': false,
      'http://w main': false,
    })
    const strict = machine({ answers }).call('refresh_db', { kwargs: { failhard: true } })
    await expect(strict).rejects.toThrow('Error getting repos: http://w main')
  })

  it('does nothing while the lists are younger than cache_valid_time', async () => {
    const host = await MemoryHost.with({ files: { '/var/lib/apt/lists/': '' } })
    const young = machine({ host })
    await young.call('refresh_db', { kwargs: { cache_valid_time: 3600 } })
    expect(young.ran).toEqual([])
  })
})

describe('install', () => {
  const CONF = '-o DPkg::Options::=--force-confold -o DPkg::Options::=--force-confdef'
  const commandOf = async (trial: Trial, answers: Machine['answers'] = {}): Promise<string[]> => {
    const { call, ran } = machine({ answers })
    await call('install', trial)
    return ran.filter((line) => line.startsWith('apt-get'))
  }

  it.each<[string, Trial, string]>([
    ['a name', { args: ['sl'] }, `apt-get -q -y ${CONF} install sl`],
    ['a version', { args: ['sl'], kwargs: { version: '5.*' } }, `apt-get -q -y ${CONF} install sl=5.*`],
    [
      'an older version',
      { kwargs: { pkgs: [new Map([['nginx', '1.18']])] } },
      `apt-get -q -y ${CONF} --force-yes install nginx=1.18`,
    ],
    [
      'a package again',
      { args: ['nginx'], kwargs: { reinstall: true } },
      `apt-get -q -y ${CONF} install --reinstall nginx`,
    ],
    [
      'options',
      { args: ['sl'], kwargs: { fromrepo: 'sid', skip_verify: true, install_recommends: false, only_upgrade: true } },
      `apt-get -q -y ${CONF} --no-install-recommends --only-upgrade --allow-unauthenticated -t sid install sl`,
    ],
  ])('of %s is one command', async (_what, trial, command) => {
    expect(await commandOf(trial)).toEqual([command])
  })

  it('finds the version that a comparison means', async () => {
    const answers = { 'apt-cache show': 'Package: sl\nVersion: 5.02-1\n\nPackage: sl\nVersion: 3.03-17\n' }
    const trial = { kwargs: { pkgs: [new Map([['sl', '<5']])] } }
    expect(await commandOf(trial, answers)).toEqual([`apt-get -q -y ${CONF} install sl=3.03-17`])
  })

  it('lifts holds meanwhile', async () => {
    const { call, ran } = machine({
      answers: { 'dpkg --get-selections *': 'bash\thold\n', 'dpkg --get-selections bash': 'bash\thold\n' },
    })
    await call('install', { args: ['bash'] })
    expect(
      ran
        .filter((line) => line.includes('selections') || line.startsWith('apt-get'))
        .map((line) => line.split(' ').at(-1)),
    ).toEqual(['*', 'bash', '*', '--set-selections', 'bash', 'bash'])
  })

  it("reports apt's error if it fails", async () => {
    const answers = { 'apt-get -q -y': { retcode: 100, stderr: 'E: Unable to locate package sl' } }
    await expect(machine({ answers }).call('install', { args: ['sl'] })).rejects.toThrow(
      /^Problem encountered installing package\(s\)\. Additional info follows:\n\nchanges:\n {4}-{10}\nerrors:\n {4}- E: Unable to locate package sl$/,
    )
  })
})

describe('package sources', () => {
  const line = 'deb http://x.example.com/debian stable main'

  it('are written to the file that is named, and deleted with it', async () => {
    const host = await MemoryHost.with({
      files: { '/etc/apt/sources.list.d/': '', '/usr/bin/apt-key': { mode: 0o755 } },
    })
    const { call } = machine({ host })
    const file = '/etc/apt/sources.list.d/x.list'
    await call('mod_repo', { args: [line], kwargs: { file, comps: 'main,contrib', refresh: false } })
    expect(Buffer.from(await host.read(file)).toString()).toBe(`${line} contrib\n`)
    const repo = plain(await call('get_repo', { args: [line] }))
    expect(repo).toMatchObject({ comps: ['main', 'contrib'], disabled: false, file, dist: 'stable' })
    expect(await call('del_repo', { args: [`${line} contrib`] })).toBe(
      `File ${file} containing repo '${line} contrib' has been removed.`,
    )
    expect(await host.stat(file)).toBeUndefined()
  })

  it('in a .sources file are sections', async () => {
    const host = await MemoryHost.with({ files: { '/etc/apt/sources.list.d/': '' } })
    const { call } = machine({ host })
    const file = '/etc/apt/sources.list.d/x.sources'
    const signed = 'deb [signed-by=/k.gpg arch=amd64] http://x.example.com/debian stable main'
    await call('mod_repo', { args: [signed], kwargs: { file, refresh: false } })
    expect(Buffer.from(await host.read(file)).toString()).toBe(
      'Types: deb\nURIs: http://x.example.com/debian\nSuites: stable\nComponents: main\nSigned-By: /k.gpg\nArchitectures: amd64\n',
    )
  })

  it('need a key or trust where there is no apt-key', async () => {
    const refused = machine().call('mod_repo', { args: [line], kwargs: { refresh: false } })
    await expect(refused).rejects.toThrow("missing 'signedby' or 'trusted' option when apt-key is missing")
  })
})

it('parseKeys gathers keys with their subkeys', () => {
  const keys = parseKeys(
    'pub:u:2048:1:AAAABBBBCCCCDDDD:1700000000:::u:::scSC::\nfpr:::::::::0123:\nuid:u::::1::HASH::me <m@e>:\nsub:u:2048:1:1111:17::::::e::\nfpr:::::::::4567:\n',
  )
  expect(plain(keys)).toMatchObject({
    AAAABBBBCCCCDDDD: { bits: 2048, fingerprint: 123, uid: 'me <m@e>', subkey: { keyid: '1111', fingerprint: 4567 } },
  })
})

it('expand_repo_def takes a line of a repository apart', async () => {
  const repo = 'deb [arch=amd64] http://d.example/ stable main'
  const parts = (await tryFunction(apt, 'expand_repo_def', {
    kwargs: { repo, os_name: 'Debian', os_codename: 'bookworm' },
    grains,
  })) as Dict
  expect([parts.get('uri'), parts.get('dist'), parts.get('comps')]).toEqual(['http://d.example/', 'stable', ['main']])
  expect(parts.get('architectures')).toEqual(['amd64'])
})
