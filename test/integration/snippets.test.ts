// The commands, states and pillar files of the documents of test/seeds, run as they are printed on a master and minions. The list of all
// snippets, and of the tests that run them, is test/seeds/README.md.
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { load } from '../../src/yaml/mod.ts'
import { ApiServer } from '../kubernetes/api-server.ts'
import type { AnyObject } from '../kubernetes/client.ts'
import { Cluster, type Ran } from '../live/cluster.ts'
import { until } from '../until.ts'
import { plant, printed } from './seeds.ts'

const SEEDS = join(import.meta.dirname, '../seeds')
const SITE = join(import.meta.dirname, '../python/site')

/** The lines of a document that are commands. */
const commandsOf = (document: string): string[] =>
  readFileSync(join(SEEDS, document, 'commands.sh'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

const VAULT = 'def read_secret(path, key=None):\n    return "foxglove-" + path.split("/")[-1]\n'

const cluster = new Cluster({
  scenario: 'snippets',
  description: '',
  setup: {
    master: { module_dirs: ['<ROOT>/own'], auto_accept: false, timeout: 10, gpg_decrypt_must_succeed: false },
    minions: {
      web01: {
        grains: { roles: ['web'], role: 'loadbalancer' },
        config: { module_dirs: ['<ROOT>/own'], python_executable: 'python3' },
      },
      'minion-id': {},
    },
    files: {
      'own/modules/vault.py': VAULT,
      'srv/salt/top.sls': "base:\n  '*':\n    - mark\n",
      'srv/salt/mark.sls': 'mark:\n  test.succeed_without_changes\n',
      'srv/salt/app/deploy.sls': 'deployed:\n  test.succeed_with_changes\n',
      'srv/pillar/common.sls': 'include:\n  - secrets\ncommon: true\n',
      'srv/pillar/nginx.sls': 'nginx:\n  server_name: shop.example.com\n  app_port: 8080\n',
    },
  },
  steps: [],
  events: [],
})

beforeAll(async () => {
  await cluster.prepare()
  plant(cluster.root, 'guide')
  plant(cluster.root, 'orchestration')
  plant(cluster.root, 'python')
  for (const family of ['_states', '_modules', '_grains']) {
    cpSync(join(SITE, family), join(cluster.root, 'srv/salt', family), { recursive: true })
  }
  cluster.start('master')
  cluster.start('web01')
  cluster.start('minion-id')
  const hasKeys = (list: string): boolean => ['web01', 'minion-id'].every((id) => list.includes(id))
  await until('two keys', async () => hasKeys((await cluster.run('salt-key --out=json -L')).stdout))
  await cluster.run('salt-key -y -a web01')
  await until('the minion', async () => (await cluster.run('salt web01 test.ping')).stdout.includes('True'))
}, 120_000)
afterAll(() => cluster.close())

const run = (line: string, stdin = ''): Promise<Ran> => cluster.run(line, { on: 'web01', stdin })

/** Commands of other programs, of programs that are not there yet, and of a daemon that beforeAll starts. */
const NOT_OURS: Readonly<Record<string, string>> = {
  journalctl: 'a program of systemd',
  nc: 'a program of the system',
  host: 'a program of the system',
  'salt-cloud': 'lab/tests/long/cloud.test.ts and test/integration/cloud.test.ts run it',
  'salt-minion': 'started before the tests',
}

interface Expected {
  stdout: RegExp
  status?: number
  stdin?: string
  /** The way to run it, if it does not end. */
  as?: string
}

const EXPECTED: Readonly<Record<string, Expected>> = {
  "salt '*' state.highstate test=True": { stdout: /Succeeded: 1/ },
  "salt 'web*' state.show_sls webserver": { stdout: /server_name:\s+shop\.example\.com/ },
  'salt-call state.single file.managed /tmp/test.txt contents="test" -l debug': {
    stdout: /ID: \/tmp\/test\.txt\n {4}Function: file\.managed\n {6}Result: True/,
  },
  "salt '*' test.ping": { stdout: /^web01:\n {4}True\n$/ },
  "salt-call state.single cmd.run name='echo test' -l debug": { stdout: /Command "echo test" run/ },
  'salt-run state.event pretty=True': {
    stdout: /^shop\/opened\t\{\n {4}"_stamp": /m,
    as: `(sleep 1; salt-run event.send shop/opened) >/dev/null & salt-run state.event pretty=True | sed '/^shop.opened/{N;q}'`,
  },
  'salt-run jobs.list_jobs': { stdout: /Function:\s+test\.ping/ },
  'salt-run jobs.lookup_jid 20230615123456789012': { stdout: /^$/ },
  'salt-key -L': { stdout: /Accepted Keys:\nweb01\n/ },
  'salt-key -a minion-id': { stdout: /Key for minion minion-id accepted\./, stdin: 'y\n' },
  'salt-key -d minion-id': { stdout: /Key for minion minion-id deleted\./, stdin: 'y\n' },
  "salt '*' saltutil.clear_cache": { stdout: /web01:\n {4}True/ },
  "salt '*' saltutil.sync_all": { stdout: /web01:\n {4}-+\n {4}beacons:/ },
  "salt '*' state.highstate --state-verbose=True --state-output=profile": { stdout: /test\.succeed_without_changes/ },
  'salt-run queue.process_queue': { stdout: /No queue is given, and the queue module sqlite has none/, status: 1 },
  'salt-run manage.status': { stdout: /up:\n {4}- web01/ },
  'salt-run state.orchestrate orch.deploy': { stdout: /ID: remove_from_lb/, status: 1 },
  'salt-run state.orchestrate orch.deploy -l debug': { stdout: /ID: remove_from_lb/, status: 1 },
  [`salt 'web01' event.send 'myapp/deploy/complete' '{"version": "1.4.2", "status": "ok"}'`]: {
    stdout: /web01:\n {4}True/,
  },
}

describe('commands', () => {
  const lines = ['guide', 'orchestration', 'dns'].flatMap(commandsOf)
  const own = [...new Set(lines)].filter((line) => !Object.keys(NOT_OURS).includes(line.split(' ')[0]!))
  const note = '/tmp/test.txt'
  const isThere = existsSync(note)
  afterAll(() => {
    if (!isThere) rmSync(note, { force: true })
  })

  test('are all expected', () => expect(own.sort()).toEqual(Object.keys(EXPECTED).sort()))

  test.each(Object.entries(EXPECTED))('%s', async (line, wanted) => {
    const { stdout, status } = await run(wanted.as ?? line, wanted.stdin)
    expect(stdout).toMatch(wanted.stdout)
    expect(status).toBe(wanted.status ?? 0)
  })

  test('process the only queue', async () => {
    await run('salt-run queue.insert updates web01')
    expect((await run('salt-run queue.process_queue')).stdout).toContain('queue:\n    updates\n')
  })
})

describe('states', () => {
  test('vault_usage: the pillar has the secret', async () => {
    const { stdout, status } = await run('salt web01 state.apply vault_usage')
    expect(stdout).toContain('Pillar database:password does not have the value: database:password has another value')
    expect(stdout).not.toContain('foxglove')
    expect(status).toBe(1)
    const given = `pillar='{"database": {"password": "foxglove-password"}}'`
    expect((await run(`salt web01 state.apply vault_usage ${given}`)).status).toBe(0)
  })

  test('apps.myapp: the state module of the site says what it would do', async () => {
    expect((await run('salt web01 saltutil.sync_all')).status).toBe(0)
    const { stdout } = await run('salt web01 state.apply apps.myapp test=True')
    expect(stdout).toMatch(/Would update myapp from .* to v2\.3\.1/)
  })

  test.each([
    ['webserver', ['worker_connections', '/etc/nginx/sites-enabled/*', '1.20.*']],
    ['database.postgresql', ['postgresql-14', 'ACCC4CF8.asc', 'create_user_shop']],
    ['optimisation', ['rsync -av --delete', 'source_repository']],
    ['error_handling', ['success_retcodes']],
  ])('%s is compiled', async (sls, words) => {
    const databases = `pillar='{"postgresql": {"databases": [{"name": "shop", "owner": "shop", "password": "x"}]}}'`
    const { stdout, status } = await run(`salt web01 state.show_sls ${sls} ${databases} --out=yaml`)
    expect(status).toBe(0)
    for (const word of words) expect(stdout).toContain(word)
  })

  test('kubernetes: the namespace, the secret and the deployment come to be, and stay', async () => {
    const { stdout } = await run('salt web01 slsutil.renderer salt://kubernetes/init.sls --out=yaml')
    expect(stdout).toContain(`database_url: ${Buffer.from('foxglove-url').toString('base64')}`)
    expect(stdout).toContain('/usr/local/bin/kubectl')
    const server = await ApiServer.start()
    try {
      // the ID of the file that asks for no download
      const apply = (more = ''): Promise<Ran> =>
        run(`salt web01 state.sls_id deploy_k8s_app kubernetes pillar='{"kubernetes.host": "${server.url}"}' ${more}`)
      const foreseen = await apply('test=True')
      expect(foreseen.stdout).toContain('The namespace is going to be created')
      expect(server.requests.some((request) => request.startsWith('PATCH') && !request.includes('dryRun=All'))).toBe(
        false,
      )
      const made = await apply()
      expect(made.stdout).toContain('Succeeded: 3 (changed=3)')
      expect(made.stdout).not.toContain(Buffer.from('foxglove-url').toString('base64'))
      expect((await apply()).stdout).toMatch(/Succeeded: 3\n/)
      const stored = (path: string): Promise<AnyObject> => fetch(`${server.url}${path}`).then((answer) => answer.json())
      const secret = await stored('/api/v1/namespaces/production/secrets/app-secrets')
      expect(Buffer.from(secret.data.database_url, 'base64').toString()).toBe('foxglove-url')
      const { spec } = await stored('/apis/apps/v1/namespaces/production/deployments/web-app')
      expect(spec).toMatchObject({ replicas: 3, selector: { matchLabels: { app: 'web-app' } } })
      expect(spec.template.spec.containers[0].image).toMatch(/^registry\.example\.com\/web-app:/)
    } finally {
      await server.stop()
    }
  })
})

test('The pillar files give each minion what its grains say, with secrets of the Vault', async () => {
  const { stdout } = await run('salt-run pillar.show_pillar web01 --out=json')
  expect(JSON.parse(stdout)).toMatchObject({
    common: true,
    nginx: { worker_connections: 2048, sites: { default: { ssl: { enabled: true } } } },
    app: { version: 'foxglove-version', config: { database_url: 'foxglove-url' } },
    // the messages of the document are cut short, so they cannot be decrypted and stay as they are
    database: { password: expect.stringContaining('BEGIN PGP MESSAGE') },
  })
})

test.each(['guide/event_flow.yaml', 'guide/etc/salt/cloud.profiles.d/web.conf'])('%s is data', (path) => {
  expect(load(readFileSync(join(SEEDS, path), 'utf8'))).toBeInstanceOf(Map)
})

describe('the list of snippets', () => {
  const list = readFileSync(join(SEEDS, 'README.md'), 'utf8')

  test('has all files of the documents', () => {
    const files = ['guide', 'orchestration', 'python', 'dns'].flatMap((document) =>
      printed(document).map((path) => `${document}/${path}`),
    )
    expect(files.filter((path) => !list.includes(`\`${path}\``))).toEqual([])
  })

  test('names files that are there', () => {
    const named = [...list.matchAll(/`([\w./-]+\/[\w.-]+\.\w+)`/g)].map(([, path]) => path!)
    const root = join(import.meta.dirname, '../..')
    expect(named.filter((path) => !existsSync(join(SEEDS, path)) && !existsSync(join(root, path)))).toEqual([])
  })
})
