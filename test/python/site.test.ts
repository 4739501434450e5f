// The Python files of a site as their users wrote them (test/python/site), run unchanged. Services outside of the
// machine are replaced by stand-ins.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { masterBusPaths } from '../../src/bus/mod.ts'
import { type Dict, repr, str, type Value } from '../../src/data/mod.ts'
import { MemoryHost } from '../../src/host/mod.ts'
import {
  MasterRegistry,
  type ModuleTable,
  moduleTable,
  Registry,
  runnerTable,
  wheelTable,
} from '../../src/loader/mod.ts'
import { functionScope, refreshMasterModules, userGrains, userModules, userPlugins } from '../../src/pybridge/mod.ts'
import { arg, defineModule, type MasterContext, reads, type StateDeclaration, tryState } from '../../src/sdk/mod.ts'
import { encodeEvent, frameBody } from '../../src/wire/mod.ts'

const SITE = join(import.meta.dirname, 'site')
const STAND_INS = `
import sys, time, types, urllib.request

try:
    import requests
except ImportError:
    requests = types.ModuleType("requests")
    requests.RequestException = OSError
    sys.modules["requests"] = requests

    class _Answer:
        status_code = 200

    def _get(url, timeout=None):
        urllib.request.urlopen(url, timeout=timeout)
        return _Answer()

    requests.get = _get

_sleep = time.sleep

def hurry(on):
    time.sleep = (lambda seconds: None) if on else _sleep
`

let folder: string
const calls: string[] = []

/** Functions that would reach outside of the machine. */
const outside: ModuleTable = Object.fromEntries(
  [
    ['cmd', { run: 'up', run_stdout: 'v1\n' }],
    ['http', { query: new Map([['status', 200]]) }],
    ['service', { reload: true, restart: true, status: true }],
    ['status', { version: '3008.2' }],
  ].map(([module, functions]) => [
    module as string,
    [
      {
        functions: Object.keys(functions as object),
        load: async () => ({
          default: defineModule({
            name: module as string,
            doc: '',
            functions: Object.fromEntries(
              Object.entries(functions as Record<string, Value>).map(([name, answer]) => [
                name,
                reads({
                  doc: '',
                  args: { args: arg.rest(''), kwargs: arg.open('') },
                  run: (_ctx, { args }) => {
                    calls.push(`${module}.${name}(${args.map(repr).join(', ')})`)
                    return answer
                  },
                }),
              ]),
            ),
          }),
        }),
      },
    ],
  ]),
)

function options(): Dict {
  return new Map<Value, Value>([
    ['id', 'web1'],
    ['test', false],
    ['cachedir', folder],
    ['extension_modules', folder],
  ])
}

async function minion(host: MemoryHost): Promise<Registry> {
  const registry = new Registry(
    { ...moduleTable, ...outside },
    {
      opts: options(),
      grains: new Map<Value, Value>([
        ['kernel', 'Linux'],
        ['last_highstate', 7],
      ]),
      pillar: new Map(),
      host,
      userModules,
    },
  )
  await registry.refresh()
  return registry
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-site-'))
  for (const family of ['states', 'grains', 'beacons', 'runners']) {
    symlinkSync(join(SITE, `_${family}`), join(folder, family))
  }
  symlinkSync(join(SITE, '_modules'), join(folder, 'modules'))
  writeFileSync(join(folder, 'stand_ins.py'), STAND_INS)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('Python files of a site', () => {
  test('deploy.py switches from green to blue', async () => {
    const host = await MemoryHost.with({
      files: { '/etc/active_env': 'green\n', '/etc/nginx/conf.d/upstream.conf': 'server 127.0.0.1:8082;\n' },
    })
    const functions = await minion(host)
    expect(repr(await functions.call('deploy.blue_green_switch', ['shop', 'v2']))).toBe(
      "{'result': True, 'comment': 'Successfully switched from green to blue', 'changes': " +
        "{'old': {'env': 'green', 'version': 'previous'}, 'new': {'env': 'blue', 'version': 'v2'}}}",
    )
    expect(Buffer.from(await host.read('/etc/nginx/conf.d/upstream.conf')).toString()).toBe('server 127.0.0.1:8081;\n')
    expect(calls).toContain("service.reload('nginx')")
  })

  test('prometheus.py writes metrics', async () => {
    const functions = await minion(new MemoryHost())
    expect(str(await functions.call('prometheus.generate_metrics'))).toContain(
      'salt_minion_info{version="3008.2"} 1\nsalt_last_highstate_timestamp 7\nsalt_service_running{service="nginx"} 1',
    )
  })

  test('deployment.py serves under its virtual name, beside the file of that name', async () => {
    const functions = await minion(new MemoryHost())
    const answer = (await functions.call('deploy.release', ['no-such-app', 'v1', '/nowhere'])) as Dict
    expect(answer.get('success')).toBe(true)
    expect(repr((answer.get('steps') as Value[]).slice(3))).toBe("[{'restart': 'completed'}, {'health': 200}]")
  })

  test('python_app.py would deploy, and deploys', async () => {
    const functions = await minion(new MemoryHost())
    const module = (await functions.ctx.states.load('python_app')) as StateDeclaration
    const kwargs = { name: 'app', version: 'v2', repo_url: '/nowhere' }
    const trial = { kwargs, context: functions.ctx }
    expect(repr(await tryState(module, 'deployed', { ...trial, test: true }))).toBe(
      "{'name': 'app', 'changes': {'old': 'v1', 'new': 'v2'}, 'result': None, 'comment': 'Would update app from v1 to v2'}",
    )
    expect(str((await tryState(module, 'deployed', trial)).get('comment')!)).toBe('Deployed app v2 successfully')
  })

  test('custom_grains.py gives grains', async () => {
    const parts = await userGrains({ opts: options(), host: new MemoryHost(), log: silentLog }, new Map())
    const env = hostname().includes('-prod-')
      ? 'production'
      : hostname().includes('-stage-')
        ? 'staging'
        : 'development'
    expect(parts[0]?.get('env')).toBe(env)
  })

  test('app_latency.py sees a slow server and a missing one', async () => {
    const server = createServer((_request, response) => setTimeout(() => response.end('ok'), 50))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const functions = await minion(new MemoryHost())
    await standIn(functions, 'hurry', [false])
    const scope = functionScope(functions.ctx)
    const beacon = (await userPlugins(scope, 'beacons')).get('app_latency')!
    const config = [
      new Map<Value, Value>([['url', `http://127.0.0.1:${port}/`]]).set('threshold_ms', 10),
      new Map<Value, Value>([['url', 'http://127.0.0.1:1/']]),
    ]
    expect(repr(await beacon.call(scope, 'validate', [config]))).toBe("(True, 'Valid beacon configuration')")
    const seen = (await beacon.call(scope, 'beacon', [config])) as Dict[]
    expect(seen.map((event) => event.get('tag'))).toEqual(['high_latency', 'unreachable'])
    server.close()
  })

  test('canary_deploy.py deploys to the canaries first', async () => {
    const registries = { runner: new MasterRegistry(runnerTable), wheel: new MasterRegistry(wheelTable) }
    await refreshMasterModules(options(), silentLog, registries)
    const asked: string[] = []
    const ctx = {
      opts: options(),
      log: silentLog,
      memory: new Map(),
      jid: '1',
      docs: async () => new Map(),
      run: async function* ({ tgt, fun }: { tgt: Value; fun: Value }) {
        asked.push(`${str(tgt)} ${str(fun)}`)
        const answer = new Map<Value, Value>([['success', true]]).set('healthy', true)
        yield { id: 'web1', data: new Map<Value, Value>([['return', answer]]) }
      },
    } as unknown as MasterContext
    const functions = await minion(new MemoryHost())
    await standIn(functions, 'hurry', [true])
    const answer = await registries.runner.call(ctx, 'canary_deploy.execute', ['shop', 'v3'])
    await standIn(functions, 'hurry', [false])
    expect(asked).toEqual(['web-canary* deploy.release', 'web-canary* deploy.health_check', 'web* deploy.release'])
    expect(repr(answer)).toBe(
      "{'stage': 'complete', 'success': True, 'canary_hosts': ['web1'], 'total_hosts': ['web1'], 'version': 'v3'}",
    )
  })

  test('salt_event_forwarder.py forwards events of the bus', async () => {
    const root = mkdtempSync(join(tmpdir(), 'brine-bus-'))
    writeFileSync(join(root, 'master'), JSON.stringify({ root_dir: root, sock_dir: join(root, 'sock') }))
    mkdirSync(join(root, 'sock'))
    const readers = new Set<Socket>()
    const server = createSocketServer((socket) => readers.add(socket.on('error', () => {})))
    const path = masterBusPaths(new Map([['sock_dir', join(root, 'sock')]])).pub
    await new Promise<void>((done) => server.listen(path, done))
    const event = frameBody(encodeEvent('salt/minion/web1/start', new Map([['id', 'web1']])))
    // the address of the monitoring system and of the configuration are all that is stood in for
    const wrapper = `import runpy, sys, types
requests = types.ModuleType("requests")
requests.post = lambda url, json: print(url, json["metric"], json["tags"]["minion"], flush=True)
sys.modules["requests"] = requests
import salt.config
read = salt.config.client_config
salt.config.client_config = lambda path: read(${JSON.stringify(join(root, 'master'))})
print("ready", flush=True)
runpy.run_path(${JSON.stringify(join(SITE, 'salt_event_forwarder.py'))}, run_name="__main__")
`
    const env = { ...process.env, PYTHONPATH: join(import.meta.dirname, '../../python') }
    const script = spawn('python3', ['-c', wrapper], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    script.stdout.on('data', (piece) => (printed += String(piece)))
    const fire = setInterval(() => readers.forEach((reader) => void reader.write(event)), 100)
    await expect
      .poll(() => printed)
      .toContain('http://monitoring.example.com/api/metrics salt.minion.web1.start web1\n')
    clearInterval(fire)
    script.kill('SIGKILL')
    for (const reader of readers) reader.destroy()
    server.close()
    rmSync(root, { recursive: true, force: true })
  })
})

async function standIn(functions: Registry, fun: string, args: Value[]): Promise<void> {
  const { callPython } = await import('../../src/python/mod.ts')
  const params = ['utils', join(folder, 'stand_ins.py'), fun, args, new Map()]
  await callPython(functionScope(functions.ctx), { method: 'call', params, what: 'stand-ins' })
}
