// Functions of Docker on a real Docker daemon that the test starts, without a network, with an image made of programs of this machine.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import { minionFunctions } from '../../src/minion/mod.ts'
import { until } from '../until.ts'
import { type Minion, minion } from './minion.ts'
import { canServe } from './servers.ts'
import { makeRoot, place } from './small-root.ts'

/** Containers need mounts of their own, which not every container may make. */
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0

describe.skipIf(!canServe('Docker', place('dockerd'), place('docker')) || !canMount)('Docker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-docker-'))
  const path = (name: string): string => join(folder, name)
  let daemon: ChildProcess
  let salt: Minion

  beforeAll(async () => {
    const socket = `unix://${path('docker.sock')}`
    const folders = ['--data-root', path('data'), '--exec-root', path('exec'), '--pidfile', path('pid')]
    const plain = ['--iptables=false', '--ip6tables=false', '--bridge=none', '--storage-driver=vfs']
    daemon = spawn(place('dockerd'), [...folders, ...plain, '--host', socket], { stdio: 'ignore' })
    makeRoot(path('root'))
    execFileSync('tar', ['-C', path('root'), '-cf', path('root.tar'), '.'])
    mkdirSync(path('srv'))
    const registries = { half: { username: 'ann' }, '127.0.0.1:1': { username: 'ann', password: 'hunter2' } }
    salt = minion({
      'docker.url': socket,
      cachedir: path('cache'),
      file_roots: { base: [path('srv')] },
      'docker-registries': registries,
    })
    await until('dockerd answers', async () => {
      if (daemon.exitCode !== null) throw new Error(`dockerd ended with ${daemon.exitCode}`)
      return existsSync(path('docker.sock'))
    })
    const made = await salt.call('docker.import', [path('root.tar'), 'tools', '1'])
    expect(made).toMatchObject({ Image: 'tools:1', Id: expect.stringMatching(/^[0-9a-f]{12}$/) })
    const command = { command: ['sleep', '3600'], name: 'box', network_mode: 'none' }
    await salt.call('docker.run_container', ['tools:1'], { ...command, bg: true })
  })

  afterAll(async () => {
    await salt.call('docker.rm', ['box'], { force: true }).catch(() => undefined)
    const ended = new Promise((done) => daemon.once('exit', done))
    daemon.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  })

  test('docker.copy_to and docker.copy_from bring files in and out', async () => {
    writeFileSync(path('note'), 'hello\n')
    expect(await salt.call('docker.copy_to', ['box', path('note'), '/data/in/note'], { makedirs: true })).toBe(true)
    expect(await salt.call('docker.run', ['box', 'cat /data/in/note'])).toBe('hello')
    await expect(salt.call('docker.copy_to', ['box', path('note'), '/data/in/note'])).rejects.toThrow(
      'Destination path /data/in/note already exists. Use overwrite=True to overwrite it',
    )
    await expect(salt.call('docker.copy_to', ['box', path('note'), '/none/note'])).rejects.toThrow(
      "Directory /none does not exist on container 'box'",
    )
    expect(await salt.call('docker.copy_from', ['box', '/data/in/note', path('out/note')], { makedirs: true })).toBe(
      true,
    )
    expect(readFileSync(path('out/note'), 'utf8')).toBe('hello\n')
    // a link of the container would lead to a file of this machine
    await salt.call('docker.run', ['box', 'ln -s /data/in/note /data/in/link'])
    expect(await salt.call('docker.copy_from', ['box', '/data/in/link', path('out/link')])).toBe(true)
    expect(lstatSync(path('out/link')).isFile()).toBe(true)
    await expect(salt.call('docker.copy_from', ['box', '/none', path('x')])).rejects.toThrow(
      'Source file /none does not exist',
    )
    await expect(salt.call('docker.copy_from', ['box', '/etc', path('x')])).rejects.toThrow(
      'Source must be a regular file',
    )
  })

  test('docker.script runs a script of the file server and leaves nothing behind', async () => {
    writeFileSync(path('srv/greet.sh'), '#!/bin/sh\necho "hello $1"\nexit 3\n')
    const ran = await salt.call('docker.script', ['box', 'salt://greet.sh'], { args: 'you', ignore_retcode: true })
    expect(ran).toMatchObject({ stdout: 'hello you', retcode: 3 })
    expect(await salt.call('docker.script_retcode', ['box', 'salt://greet.sh'], { ignore_retcode: true })).toBe(3)
    expect(await salt.call('docker.run', ['box', 'echo /tmp/*'])).toBe('/tmp/*')
    expect(await salt.call('docker.script', ['box', 'salt://none.sh'])).toMatchObject({ cache_error: true, retcode: 1 })
  })

  test('docker.export writes a file system, compressed as its name says', async () => {
    const made = await salt.call('docker.export', ['box', path('box.tar.gz')])
    expect(made).toMatchObject({ Path: path('box.tar.gz'), Size_Uncompressed: expect.any(Number) })
    expect(execFileSync('tar', ['-tzf', path('box.tar.gz')], { encoding: 'utf8' })).toContain('bin/sha256sum')
    expect(existsSync(path('box.tar.gz.part'))).toBe(false)
    await expect(salt.call('docker.export', ['box', path('box.tar.gz')])).rejects.toThrow('already exists')
    await expect(salt.call('docker.export', ['box', 'box.tar'])).rejects.toThrow("Path 'box.tar' is not absolute")
    await expect(salt.call('docker.export', ['box', path('b')], { compression: 'zip' })).rejects.toThrow(
      "Invalid compression type 'zip'",
    )
  })

  test('docker.depends, docker.layers, docker.dangling and docker.prune show and remove what images leave', async () => {
    expect(await salt.call('docker.depends', ['tools:1'])).toEqual({ Containers: ['box'], Images: [] })
    expect(await salt.call('docker.layers', ['tools:1'])).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/)])
    await expect(salt.call('docker.layers', ['none'])).rejects.toThrow('Error 404')
    const { Id } = (await salt.call('docker.commit', ['box', 'old', '1'])) as { Id: string }
    await salt.call('docker.run_all', ['box', 'cat /data/in/note > /tmp/changed'])
    await salt.call('docker.commit', ['box', 'old', '1'])
    expect(await salt.call('docker.dangling')).toEqual([Id.slice(0, 12)])
    const removed = (await salt.call('docker.dangling', [], { prune: true })) as Record<string, unknown>
    expect(removed[Id.slice(0, 12)]).toHaveProperty('Removed')
    expect(await salt.call('docker.dangling')).toEqual([])
    await salt.call('docker.create', ['tools:1'], { name: 'spent', command: ['sleep', '1'], network_mode: 'none' })
    const pruned = (await salt.call('docker.prune', [], { containers: true })) as Record<
      string,
      Record<string, string[]>
    >
    expect(pruned['containers']!['ContainersDeleted']).toHaveLength(1)
    expect(Object.keys(pruned)).toEqual(['containers'])
  })

  test('docker.call, docker.sls and docker.sls_build run functions and states in a container without Salt', async () => {
    const socket = `unix://${path('docker.sock')}`
    const opts = fromPlain({
      id: 'web1',
      'docker.url': socket,
      cachedir: path('cache'),
      sock_dir: path('sock'),
      file_roots: { base: [path('srv')] },
    }) as Dict
    const pillar = fromPlain({ greeting: 'ahoy' }) as Dict
    const functions = minionFunctions({ opts, grains: new Map(), pillar, host: new LocalHost(), log: silentLog })
    const call = async (fun: string, args: Value[], kwargs: Record<string, Plain> = {}): Promise<Plain> =>
      toPlain(await functions.call(fun, args, fromPlain(kwargs) as Map<string, Value>))
    writeFileSync(
      path('srv/app.sls'),
      "/etc/app.conf:\n  file.managed:\n    - contents: {{ pillar['greeting'] }} from {{ grains['id'] }} on {{ grains['os'] }}\n    - mode: '0640'\n",
    )
    writeFileSync(path('srv/top.sls'), 'base:\n  web1:\n    - app\n')
    expect(await call('docker.call', ['box', 'grains.get', 'os'])).toBe('Toolbox')
    expect(await call('docker.call', ['box', 'cmd.run', 'cat /etc/os-release'])).toContain('toolbox')
    const outcomes = async (fun: string, args: Value[], kwargs: Record<string, Plain> = {}): Promise<unknown[]> =>
      Object.values((await call(fun, args, kwargs)) as Record<string, { result: Plain }>).map(({ result }) => result)
    expect(await outcomes('docker.sls', ['box', 'app'], { test: true })).toEqual([null])
    expect(await salt.call('docker.run', ['box', 'ls /etc'])).not.toContain('app.conf')
    expect(await outcomes('docker.sls', ['box', 'app'])).toEqual([true])
    expect(await salt.call('docker.run', ['box', 'cat /etc/app.conf'])).toBe('ahoy from web1 on Toolbox')
    expect(await salt.call('docker.run', ['box', 'stat -c %a /etc/app.conf'])).toBe('640')
    expect(await outcomes('docker.apply', ['box'])).toEqual([true])
    expect(await outcomes('docker.highstate', ['box'])).toEqual([true])
    expect(await salt.call('docker.run', ['box', 'ls -A /tmp'])).toBe('changed')
    await expect(call('docker.call', ['box', 'no.such'])).rejects.toThrow("'no.such' is not available")
    await expect(call('docker.call', ['none', 'test.ping'])).rejects.toThrow('Error 404')
    const network = { network_mode: 'none' }
    await salt.call('docker.create', ['tools:1'], { name: 'idle', command: ['sleep', '1'], ...network })
    await expect(call('docker.call', ['idle', 'test.ping'])).rejects.toThrow("Container 'idle' is not running")
    await salt.call('docker.rm', ['idle'])
    const image = { name: 'app', tag: '1', sls: 'app', base: 'tools:1', pillar: { greeting: 'built' } }
    expect(await outcomes('state.single', ['docker_image.present'], image)).toEqual([true])
    expect(await call('docker.run_container', ['app:1'], { command: 'cat /etc/app.conf', ...network })).toMatchObject({
      Logs: expect.stringMatching(/^built from web1 on Toolbox/),
    })
    writeFileSync(path('srv/broken.sls'), 'nope:\n  test.fail_without_changes: []\n')
    await expect(call('docker.sls_build', ['bad', '1', 'tools:1', 'broken'])).rejects.toThrow('Failure!')
    expect(await salt.call('docker.list_tags')).not.toContain('bad:1')
    expect(await salt.call('docker.ps', [], { all: true })).toSatisfy((all: object) => Object.keys(all).length <= 2)
  }, 120_000)

  test('docker.disconnect_all_containers_from_network, docker.logout and docker.search tell what is wrong', async () => {
    await expect(salt.call('docker.disconnect_all_containers_from_network', ['nowhere'])).rejects.toThrow('Error 404')
    expect(await salt.call('docker.disconnect_all_containers_from_network', ['host'])).toEqual([])
    expect(await salt.call('docker.logout', ['shop'])).toEqual({
      retcode: 1,
      Errors: ["No match found for registry 'shop'"],
      Results: {},
    })
  })

  test('containers are described, compared, paused, signalled and started again', async () => {
    expect(await salt.call('docker.version')).toMatchObject({ Version: expect.any(String) })
    expect(await salt.call('docker.info')).toMatchObject({ Driver: 'vfs' })
    expect(await salt.call('docker.list_containers', [], { all: true })).toContain('box')
    expect(await salt.call('docker.exists', ['none'])).toBe(false)
    expect(await salt.call('docker.state', ['box'])).toBe('running')
    const { Id } = (await salt.call('docker.inspect', ['box'])) as { Id: string }
    expect(await salt.call('docker.pid', ['box'])).toSatisfy((pid: number) => existsSync(`/proc/${pid}`))
    expect(await salt.call('docker.port', ['box'])).toEqual({})
    expect(await salt.call('docker.top', ['box'])).toMatchObject([{ CMD: 'sleep 3600' }])
    await salt.call('docker.run', ['box', 'touch /tmp/new'])
    expect(await salt.call('docker.diff', ['box'])).toMatchObject({ Added: expect.arrayContaining(['/tmp/new']) })
    const talker = { name: 'talker', network_mode: 'none', environment: { A: '1' } }
    const command = ['sh', '-c', 'trap "echo caught" HUP; echo ready; while true; do sleep 1; done']
    await salt.call('docker.run_container', ['tools:1'], { ...talker, command, bg: true })
    await until('the container talks', async () => String(await salt.call('docker.logs', ['talker'])).includes('ready'))
    expect(await salt.call('docker.signal', ['talker', 'HUP'])).toBe(true)
    await until('the signal comes', async () => String(await salt.call('docker.logs', ['talker'])).includes('caught'))
    const differences = await salt.call('docker.compare_containers', ['box', 'talker'], { ignore: 'Hostname' })
    expect(differences).toMatchObject({ Config: { Env: { new: expect.arrayContaining(['A=1']) } } })
    expect(await salt.call('docker.compare_container_networks', ['box', 'talker'])).toEqual({})
    const moved = (before: string, after: string) => ({ result: true, state: { old: before, new: after } })
    expect(await salt.call('docker.pause', ['talker'])).toEqual(moved('running', 'paused'))
    expect(await salt.call('docker.unpause', ['talker'])).toEqual(moved('paused', 'running'))
    expect(await salt.call('docker.kill', ['talker'])).toEqual(moved('running', 'stopped'))
    expect(await salt.call('docker.wait', ['talker'], { ignore_already_stopped: true })).toMatchObject({ result: true })
    expect(await salt.call('docker.wait', ['talker'])).toMatchObject({ result: false })
    expect(await salt.call('docker.start', ['talker'])).toEqual(moved('stopped', 'running'))
    expect(await salt.call('docker.restart', ['talker'], { timeout: 0 })).toMatchObject({
      result: true,
      restarted: true,
    })
    expect(await salt.call('docker.rename', ['talker', 'speaker'])).toBe(true)
    expect(await salt.call('docker.rm', ['speaker'], { force: true })).toHaveLength(1)
    expect(await salt.call('docker.run_stdout', ['box', 'echo out; echo err >&2'])).toBe('out')
    expect(await salt.call('docker.run_stderr', ['box', 'echo out; echo err >&2'])).toBe('err')
    expect(await salt.call('docker.retcode', ['box', 'exit 5'], { ignore_retcode: true })).toBe(5)
    expect(Id).toHaveLength(64)
  }, 60_000)

  test('images are tagged, built, saved, loaded and removed; a registry that does not answer is an error', async () => {
    const id = (await salt.call('docker.resolve_image_id', ['tools:1'])) as string
    expect(await salt.call('docker.inspect_image', ['tools:1'])).toMatchObject({ Id: id })
    expect(await salt.call('docker.resolve_image_id', ['none'])).toBe(false)
    expect(await salt.call('docker.resolve_tag', [id])).toBe('tools:1')
    expect(Object.keys((await salt.call('docker.images')) as object)).toContain(id)
    expect(await salt.call('docker.history', ['tools:1'])).toHaveLength(1)
    expect(await salt.call('docker.tag', ['tools:1', 'tools', '2'])).toBe(true)
    expect(await salt.call('docker.save', ['tools:2', path('tools.tar')])).toMatchObject({ Path: path('tools.tar') })
    expect(await salt.call('docker.rmi', ['tools:2'])).toMatchObject({ Tags: ['tools:2'] })
    expect(await salt.call('docker.load', [path('tools.tar'), 'tools', '3'])).toMatchObject({ Image: 'tools:3' })
    mkdirSync(path('context'))
    writeFileSync(path('context/Dockerfile'), 'FROM tools:1\nLABEL a=b\n')
    expect(await salt.call('docker.build', [path('context')], { repository: 'built', tag: '1' })).toMatchObject({
      Image: 'built:1',
    })
    expect(await salt.call('docker.rmi', ['tools:3', 'built:1'])).toMatchObject({
      Tags: expect.arrayContaining(['tools:3', 'built:1']),
    })
    await expect(salt.call('docker.pull', ['127.0.0.1:1/none'])).rejects.toThrow('127.0.0.1:1')
    await salt.call('docker.tag', ['tools:1', '127.0.0.1:1/none', '1'])
    await expect(salt.call('docker.push', ['127.0.0.1:1/none:1'])).rejects.toThrow('127.0.0.1:1')
    await salt.call('docker.rmi', ['127.0.0.1:1/none:1'])
    expect(await salt.call('docker.login', ['none', 'half'])).toEqual({
      retcode: 1,
      Errors: ["No match found for registry 'none'", "Missing 'password' for registry 'half'"],
      Results: {},
    })
    expect(await salt.call('docker.login', ['127.0.0.1:1'])).toMatchObject({
      retcode: 1,
      Results: { '127.0.0.1:1': false },
    })
  }, 60_000)

  test('volumes are made and removed', async () => {
    expect(await salt.call('docker.create_volume', ['data'])).toMatchObject({ Name: 'data', Driver: 'local' })
    expect(await salt.call('docker.inspect_volume', ['data'])).toMatchObject({
      Mountpoint: path('data/volumes/data/_data'),
    })
    expect(await salt.call('docker.volumes')).toMatchObject({ Volumes: [{ Name: 'data' }] })
    expect(await salt.call('docker.remove_volume', ['data'])).toBe(true)
    await expect(salt.call('docker.inspect_volume', ['data'])).rejects.toThrow('Error 404')
  })

  test('the states docker_container.run and mod_watch run a command once and start a container again', async () => {
    const once = { name: 'once', image: 'tools:1', command: 'uname', network_mode: 'none', replace: true }
    expect(await salt.state('docker_container.run', once, true)).toMatchObject({ result: null })
    expect(await salt.state('docker_container.run', once)).toMatchObject({
      result: true,
      comment: 'Container ran and exited with a return code of 0',
      changes: { Logs: 'Linux\n' },
    })
    const failing = { ...once, command: ['sh', '-c', 'exit 3'] }
    expect(await salt.state('docker_container.run', failing)).toMatchObject({ result: false })
    const before = await salt.call('docker.pid', ['box'])
    const wanted = { name: 'box', image: 'tools:1', command: ['sleep', '3600'], network_mode: 'none' }
    const watched = { ...wanted, sfun: 'running', shutdown_timeout: 0 }
    expect(await salt.state('docker_container.mod_watch', watched)).toMatchObject({
      result: true,
      comment: "Replaced container 'box'",
    })
    expect(await salt.call('docker.pid', ['box'])).not.toBe(before)
    const again = { name: 'tools', tag: '1', sfun: 'present' }
    expect(await salt.state('docker_image.mod_watch', again)).toMatchObject({
      result: false,
      comment: expect.stringContaining('Encountered error pulling tools:1'),
    })
  }, 60_000)
})
