// Configuration as the documents of test/seeds print it: every file is read without a complaint, and its options count.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { masterConfig, minionConfig } from '../../src/config/mod.ts'
import { type Plain, toPlain } from '../../src/data/mod.ts'
import { configure, printed } from './seeds.ts'

const root = mkdtempSync(join(tmpdir(), 'brine-documents-'))
afterAll(() => rmSync(root, { recursive: true }))

/** The options that a printed file sets, by file. */
const EXPECTED: Record<string, Record<string, Plain>> = {
  'guide/etc/salt/master.d/ha.conf': {
    ret_port: 4506,
    file_roots: { base: ['/srv/salt', '/srv/salt-shared'] },
    cluster_mode: true,
  },
  'guide/etc/salt/master.d/performance.conf': {
    worker_threads: 10,
    keep_jobs: 72,
    reactor_worker_threads: 10,
    file_ignore_glob: ['*.pyc', '*.swp'],
  },
  'guide/etc/salt/master.d/reactor.conf': { reactor: expect.arrayContaining([expect.anything()]) as unknown as Plain },
  'guide/etc/salt/master.d/security.conf': {
    publisher_acl: {
      deploy: ['test.ping', 'state.highstate', { 'web*': ['service.restart', 'service.reload'] }],
      monitoring: ['status.*', 'grains.items'],
    },
    peer: { '.*': ['grains.get'], 'web*': ['service.status'] },
    rotate_aes_key: true,
    publish_session: 86400,
  },
  'guide/etc/salt/minion.d/beacons.conf': {
    beacons: {
      inotify: [{ files: { '/etc/important.conf': { mask: ['modify'] } } }, { disable_during_state_run: true }],
      load: [{ averages: { '1m': [0, 4], '5m': [0, 2] } }, { interval: 10 }],
      service: [{ services: { nginx: { onchangeonly: true }, postgresql: { onchangeonly: true } } }, { interval: 30 }],
    },
  },
  'guide/etc/salt/minion.d/multi-master.conf': {
    master_type: 'failover',
    master_alive_interval: 30,
    master: [1, 2, 3].map((number) => `salt-master-0${number}.example.com`),
    master_failback: true,
    master_failback_interval: 90,
  },
  'guide/etc/salt/minion.d/performance.conf': {
    multiprocessing: true,
    file_client: 'local',
    state_output: 'changes',
    state_verbose: false,
    batch_safe_limit: 8,
  },
}

const files = Object.keys(EXPECTED)

/** Templates, and files that only salt-cloud reads: config-templates.test.ts and snippets.test.ts read them. */
const ELSEWHERE = [
  'master.d/gitfs.conf',
  'master.d/vault.conf',
  'cloud.providers.d/aws.conf',
  'cloud.profiles.d/web.conf',
]

test('All printed configuration of the guide is looked at', () => {
  expect(
    printed('guide', 'etc')
      .map((path) => `guide/${path}`)
      .sort(),
  ).toEqual([...files, ...ELSEWHERE.map((path) => `guide/etc/salt/${path}`)].sort())
})

test.each(files)('%s is configuration', async (file) => {
  const [document = '', ...rest] = file.split('/')
  const kind = rest.includes('master.d') ? 'master' : 'minion'
  const folder = join(root, file.replaceAll('/', '-'))
  mkdirSync(join(folder, `${kind}.d`), { recursive: true })
  writeFileSync(join(folder, kind), `root_dir: ${folder}\n`)
  configure('', document, rest.join('/'), join(folder, `${kind}.d`))
  const complaints: string[] = []
  const log = (level: string, text: string) => void (level === 'error' && complaints.push(text))
  const opts = await (kind === 'master' ? masterConfig : minionConfig)({ path: join(folder, kind), log })
  expect(complaints).toEqual([])
  expect(toPlain(opts)).toMatchObject(EXPECTED[file]!)
})
