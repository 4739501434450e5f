// A master, web servers and a load balancer as the documents of test/seeds have them: their reactor, beacons and
// orchestrations, with the files in their places and as they are printed.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, DAEMON_MOUNTS, startDaemon } from '../fleet.ts'
import type { Host } from '../host.ts'
import { Lab } from '../lab.ts'
import { STOCK } from '../stock.ts'

const SEEDS = join(import.meta.dirname, '../../test/seeds')
const TREE = join(import.meta.dirname, '../trees/fleet')
const PATIENCE = { interval: 500 }

let lab: Lab
let master: Host
let web01: Host
let web02: Host
let balancer: Host

const GRAINS: Record<string, object> = {
  'salt-master': { roles: ['master'] },
  web01: { roles: ['web'] },
  web02: { roles: ['web'] },
  lb01: { roles: ['loadbalancer'], role: 'loadbalancer' },
}

const seed = (host: Host, document: string, ...paths: string[]): void => {
  for (const path of paths) host.copyIn(join(SEEDS, document, path), path)
}

beforeAll(async () => {
  lab = await Lab.open({ stock: STOCK, mounts: DAEMON_MOUNTS })
  ;[master, web01, web02, balancer] = (await lab.boot(...Object.keys(GRAINS))) as [Host, Host, Host, Host]
  for (const folder of ['salt', 'reactor']) master.copyIn(join(TREE, folder), `/srv/${folder}`)
  seed(master, 'guide', '/etc/salt/master.d/reactor.conf', '/srv/reactor/restart_nginx.sls', '/srv/salt')
  seed(master, 'orchestration', '/srv/salt/orch')
  master.copyIn(join(TREE, '../webserver/salt/webserver'), '/srv/salt/webserver')
  master.copyIn(join(TREE, '../webserver/pillar'), '/srv/pillar')
  seed(master, 'python', '/srv/reactor/deployment_rollback.sls')
  master.copyIn(join(SEEDS, 'orchestration/srv/reactor/auth.sls'), '/srv/reactor/auth_handler.sls')
  master.copyIn(join(TREE, 'mailbox.mjs'), '/srv/mailbox.mjs')
  balancer.copyIn(join(TREE, 'hammer.mjs'), '/srv/hammer.mjs')
  seed(web01, 'guide', '/etc/salt/minion.d/beacons.conf')
  web01.write('/etc/important.conf', 'important\n')
  web01.write('/opt/deploy.sh', '#!/bin/sh\nexit 1\n', 0o755)
  await startDaemon(master, 'master', { timeout: 60 })
  for (const host of lab.hosts) {
    await startDaemon(host, 'minion', { id: host.name, master: 'salt-master', grains: GRAINS[host.name], ...QUICK })
  }
})

const QUICK = { acceptance_wait_time: 1, recon_default: 100, recon_max: 1000 }

afterAll(() => lab?.close())

interface Step {
  result: boolean
  comment: string
  changes: { ret: Record<string, Record<string, string>>; return: unknown }
}

/** Runs an orchestration: `id` → what came of the step. */
async function orchestrate(sls: string, ...args: string[]): Promise<Record<string, Step>> {
  const answer = (await ask(master, 'salt-run', 'state.orchestrate', sls, ...args)) as { data: Record<string, object> }
  const steps = Object.values(answer.data)[0] as Record<string, Step>
  return Object.fromEntries(Object.entries(steps).map(([tag, step]) => [tag.split('_|-')[1]!, step]))
}

const results = (steps: Record<string, Step>) =>
  Object.fromEntries(Object.entries(steps).map(([id, { result }]) => [id, result]))

const version = async (host: Host): Promise<string> =>
  (
    await host.run(['node', '-e', "fetch('http://localhost:8080/').then(async (r) => console.log(await r.text()))"])
  ).trim()

const reactions = async (tag: string): Promise<Array<{ calls: Array<Record<string, unknown>> }>> =>
  (await ask(master, 'salt-run', 'reactor.trace', tag)) as Array<{ calls: Array<Record<string, unknown>> }>

describe('a fleet', () => {
  it('lets minions in by their keys', async () => {
    const ids = Object.keys(GRAINS).sort()
    await expect.poll(() => ask(master, 'salt-key', '-L'), PATIENCE).toMatchObject({ minions_pre: ids })
    await master.run(['salt-key', '-y', '-A'])
    const there = Object.fromEntries(ids.map((id) => [id, true]))
    await expect.poll(() => ask(master, 'salt', '*', 'test.ping', '--static', '-t', '3'), PATIENCE).toEqual(there)
  })

  it('is set up by its highstate', async () => {
    await master.run(['salt', '*', 'cmd.run', 'apt-get -q update', '-t', '60'])
    const answers = (await ask(master, 'salt', '*', 'state.highstate', '--static')) as Record<string, object>
    const failed = Object.entries(answers).flatMap(([id, states]) =>
      Object.values(states as Record<string, Step>)
        .filter(({ result }) => !result)
        .map(({ comment }) => `${id}: ${comment}`),
    )
    expect(failed).toEqual([])
    expect([await version(web01), await version(web02)]).toEqual(['web01 1.0', 'web02 1.0'])
    await master.run([
      'salt-run',
      'reactor.add',
      'salt/beacon/*/service/*',
      'reactors=/srv/reactor/service_stopped.sls',
    ])
    await master.run(['systemd-run', '--unit=mailbox', 'node', '/srv/mailbox.mjs'])
    // the beacon looks twice a minute; what comes of this is asked for further below
    await web01.run(['systemctl', 'stop', 'nginx'])
  })

  it('is released to behind its load balancer without a request lost', async () => {
    await balancer.run(['systemd-run', '--unit=hammer', 'node', '/srv/hammer.mjs'])
    const pillar = 'pillar={"deploy": {"version": "2.0", "target": "web01"}}'
    const steps = await orchestrate('orchestrate.release', pillar)
    expect(results(steps)).toEqual({
      prepare_deployment: true,
      remove_from_lb: true,
      deploy_application: true,
      verify_deployment: true,
      add_to_lb: true,
    })
    const servers = (id: string) => steps[id]!.changes.ret['lb01']!['web-backend']
    expect(servers('remove_from_lb')).toContain('Name: web01 Status: MAINT')
    expect(servers('add_to_lb')).toContain('Name: web01 Status: no check')
    expect([await version(web01), await version(web02)]).toEqual(['web01 2.0', 'web02 1.0'])
    await master.run(['sleep', '1'])
    balancer.write('/tmp/stop', '')
    await expect.poll(() => balancer.attempt(['cat', '/tmp/answers']), PATIENCE).toMatchObject({ code: 0 })
    const answers = Object.keys(JSON.parse(balancer.read('/tmp/answers')) as object).sort()
    expect(answers).toEqual(['web01 1.0', 'web01 2.0', 'web02 1.0'])
  })

  it('keeps a server drained whose smoke test fails, until a run succeeds', async () => {
    const state = async () =>
      (await ask(master, 'salt', 'lb01', 'haproxy.get_backend', 'backend')) as Record<
        string,
        Record<string, { status: string }>
      >
    web01.write('/opt/app/broken', '')
    const broken = await orchestrate('orch.deploy')
    expect(results(broken)).toEqual({
      remove_from_lb: true,
      deploy_app: true,
      run_smoke_tests: false,
      add_to_lb: false,
    })
    expect((await state())['lb01']!['web01']!.status).toBe('MAINT')
    await web01.run(['rm', '/opt/app/broken'])
    const runs = (await ask(master, 'salt-run', 'state.orchestrate_runs')) as Record<
      string,
      { mods: string; state: string }
    >
    const [jid] = Object.entries(runs).find(([, { mods }]) => mods === 'orch.deploy')!
    expect(runs[jid]!.state).toBe('failed')
    await ask(master, 'salt-run', 'state.orchestrate_resume', jid)
    expect(await ask(master, 'salt-run', 'state.orchestrate_show', jid)).toMatchObject({ state: 'succeeded' })
    expect((await state())['lb01']!['web01']!.status).toBe('no check')
  })

  it('is updated in batches of a quarter', async () => {
    await master.run(['salt-run', 'saltutil.sync_runners'])
    const steps = await orchestrate('orchestrate.rolling_update')
    expect(results(steps)).toEqual({
      stage_1_update: true,
      stage_1_verify: true,
      stage_2_update: true,
      final_verification: true,
    })
    expect(steps['final_verification']!.changes.return).toEqual({ healthy: ['web01', 'web02'] })
    // a quarter of two is one: the hosts, which share a clock, were updated one after the other
    const spans = [web01, web02].flatMap((host) => {
      const times = host.read('/var/log/updated').trim().split('\n').map(Number)
      return times.flatMap((time, at) => (at % 2 === 0 ? [[time, times[at + 1]!] as const] : []))
    })
    spans.sort(([a], [b]) => a - b)
    expect(spans.length).toBeGreaterThanOrEqual(3)
    for (const [at, [begin]] of spans.entries()) if (at > 0) expect(begin).toBeGreaterThan(spans[at - 1]![1])
  })

  it('accepts a minion by its name and applies its highstate, in this order', async () => {
    const options = { id: 'web-asg-1', master: 'salt-master', root_dir: '/opt/asg', ...QUICK }
    await startDaemon(balancer, 'minion', options, 'salt-asg')
    await expect.poll(() => balancer.attempt(['cat', '/opt/scaled']), PATIENCE).toMatchObject({ stdout: 'web-asg-1\n' })
    const done = (await reactions('salt/auth')).find(({ calls }) => calls.length > 0)!
    expect(done.calls.map(({ id, state }) => [id, state])).toEqual([
      ['accept_minion', 'done'],
      ['apply_state', 'done'],
    ])
    await startDaemon(balancer, 'minion', { ...options, id: 'db-1', root_dir: '/opt/db' }, 'salt-db')
    await expect.poll(() => ask(master, 'salt-key', '-L'), PATIENCE).toMatchObject({ minions_pre: ['db-1'] })
  })

  it('rolls a failed deployment back by an orchestration', async () => {
    const data = '{"app_name": "shop", "version": "2.0"}'
    await master.run(['salt-run', 'event.send', 'custom/app/deployment/failed', data])
    await expect.poll(() => version(web01), PATIENCE).toBe('web01 1.0')
    expect(web01.read('/opt/app/failed')).toBe('shop 2.0\n')
    await expect
      .poll(() => reactions('custom/app/deployment/failed'), PATIENCE)
      .toMatchObject([{ calls: [{ fun: 'state.orchestrate', state: 'done' }] }])
  })

  it('prepares for machines that a cloud creates', async () => {
    await master.run(['salt-run', 'event.send', 'salt/cloud/web-7/creating', '{"name": "web-7"}'])
    await expect.poll(() => master.attempt(['cat', '/opt/bootstrapped']), PATIENCE).toMatchObject({ stdout: 'web-7\n' })
  })

  it('starts nginx again, which had stopped, and tells its operators', async () => {
    await expect
      .poll(() => master.attempt(['cat', '/tmp/mail']), PATIENCE)
      .toMatchObject({
        stdout: expect.stringMatching(
          /Subject: Nginx service was stopped and automatically restarted[\s\S]*To: ops@example.com[\s\S]*Nginx restarted on web01/,
        ),
      })
    await expect.poll(() => web01.attempt(['systemctl', 'is-active', 'nginx']), PATIENCE).toMatchObject({ code: 0 })
  })

  it('answers the commands of the documents', async () => {
    const shell = COMMANDS.map((line) => `(${line}) > /tmp/said 2>&1; echo $?`).join('\n')
    const codes = (await master.run(['sh', '-c', shell])).trim().split('\n')
    expect(COMMANDS.filter((_, at) => codes[at] !== '0')).toEqual([])
  })

  it('has the names of machines in the DNS while they are there', async () => {
    await master.run(['sh', '-ec', NAMES])
    await master.run(['rm', '/etc/salt/master.d/reactor.conf'])
    seed(master, 'dns', '/etc/salt/master.d/reactor.conf', '/srv/reactor/add_dns.sls', '/srv/reactor/rem_dns.sls')
    await master.run(['systemctl', 'restart', 'salt-master'])
    const name = async () => (await master.attempt(['host', 'jmtest1.mydomain.com'])).stdout.trim()
    const fire = (tag: string, data: object) =>
      master.run(['salt-run', 'event.send', `salt/cloud/jmtest1/${tag}`, JSON.stringify(data)])
    expect(await name()).toBe('Host jmtest1.mydomain.com not found: 3(NXDOMAIN)')
    await expect
      .poll(() => master.attempt(['salt-run', 'reactor.is_leader']), PATIENCE)
      .toMatchObject({ stdout: expect.stringContaining('True') })
    const host = '10.10.51.151'
    await fire('deploy_script', { event: `jmtest1 has been deployed at ${host}`, host, name: 'jmtest1' })
    await expect.poll(name, PATIENCE).toBe(`jmtest1.mydomain.com has address ${host}`)
    await fire('destroyed', { event: 'destroyed instance', name: 'jmtest1' })
    await expect.poll(name, PATIENCE).toBe('Host jmtest1.mydomain.com not found: 3(NXDOMAIN)')
  })
})

const COMMANDS = [
  "salt '*' state.highstate test=True",
  "salt 'web*' state.show_sls webserver",
  "salt 'web01' state.apply error_handling",
  'salt-call state.single file.managed /tmp/test.txt contents="test" -l debug',
  "salt '*' test.ping",
  "salt-call state.single cmd.run name='echo test' -l debug",
  // it prints until somebody ends it, and what is sent before it listens is not heard
  '(while :; do salt-run event.send done; done) & salt-run state.event pretty=True tagmatch=done count=1; said=$?; kill $!; exit $said',
  'salt-run jobs.list_jobs',
  'salt-run jobs.lookup_jid 20230615123456789012',
  'salt-key -L',
  'salt-key -y -a minion-id',
  'salt-key -y -d minion-id',
  "salt '*' saltutil.clear_cache",
  "salt '*' saltutil.sync_all",
  "salt '*' state.highstate --state-verbose=True --state-output=profile",
  'salt-run manage.status',
  'salt-run state.orchestrate orch.deploy -l debug',
  `salt 'web01' event.send 'myapp/deploy/complete' '{"version": "1.4.2", "status": "ok"}'`,
  'salt --batch 20% "*" test.ping',
]

/** The name server of the document, at its address. */
const NAMES = `
ip address add 10.10.38.250/32 dev lo
apt-get -q -y install bind9 bind9-dnsutils
cat > /var/cache/bind/mydomain.zone <<'E'
$TTL 60
@ IN SOA ns hostmaster 1 60 60 60 60
@ IN NS ns
ns IN A 10.10.38.250
E
chown bind /var/cache/bind/mydomain.zone
echo 'zone "mydomain.com" { type master; file "/var/cache/bind/mydomain.zone"; allow-update { any; }; };' > /etc/bind/named.conf.local
echo 'options { directory "/var/cache/bind"; listen-on { 10.10.38.250; }; recursion no; };' > /etc/bind/named.conf.options
systemctl restart named
echo 'nameserver 10.10.38.250' > /etc/resolv.conf
`
