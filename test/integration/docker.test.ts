import { beforeEach, describe, expect, test } from 'vitest'
import { type Dict, fromPlain } from '../../src/data/mod.ts'
import { DockerEngine } from './docker-engine.ts'
import { type Minion, minion } from './minion.ts'

const toNetwork = (driver: string): Dict => fromPlain({ Name: 'x', Driver: driver, Options: {} }) as Dict

describe('Docker states', () => {
  let engine: DockerEngine
  let salt: Minion

  beforeEach(async () => {
    engine = new DockerEngine()
    salt = minion({}, await engine.host())
  })

  test('pull an image once, and remove it', async () => {
    const wish = { name: 'nginx', tag: '1.25' }
    expect((await salt.state('docker_image.present', wish, true)).comment).toBe('Image nginx:1.25 will be pulled')
    expect(engine.images.size).toBe(0)
    const pulled = await salt.state('docker_image.present', wish)
    expect(pulled.comment).toBe("Image 'nginx:1.25' was pulled")
    expect(pulled.changes).toMatchObject({ Layers: { Pulled: ['abcdef012345'] } })
    expect((await salt.state('docker_image.present', wish)).comment).toBe('Image nginx:1.25 already present')
    expect((await salt.state('docker_image.absent', { name: 'nginx:1.25' })).comment).toBe(
      'Image nginx:1.25 was removed',
    )
    expect((await salt.state('docker_image.present', { name: 'missing' })).comment).toBe(
      'Encountered error pulling missing: Error 404: manifest for missing not found',
    )
  })

  const web = {
    name: 'web',
    image: 'nginx',
    environment: [{ A: '1' }],
    binds: '/srv:/srv:ro',
    restart_policy: 'always',
  }

  test('create a container, leave it alone, and replace it when its wishes change', async () => {
    expect((await salt.state('docker_container.running', web, true)).comment).toBe("Container 'web' would be created")
    const made = await salt.state('docker_container.running', web)
    expect(made).toMatchObject({ result: true, comment: "Created container 'web'" })
    expect(made.changes).toMatchObject({ state: { old: null, new: 'running' }, container_id: { added: 'id1' } })
    const again = await salt.state('docker_container.running', web)
    expect(again).toEqual({ result: true, comment: "Container 'web' is already configured as specified", changes: {} })
    expect(engine.containers.size).toBe(1)
    const other = { ...web, environment: [{ A: '2' }] }
    const dry = await salt.state('docker_container.running', other, true)
    expect(dry).toMatchObject({ result: null, comment: "Container 'web' would be replaced" })
    expect(dry.changes).toEqual({ container: { Config: { Env: { old: ['A=1'], new: ['A=2'] } } } })
    expect((await salt.state('docker_container.running', other)).comment).toBe("Replaced container 'web'")
    expect(
      [...engine.containers.values()].map(({ Name, Config, State }) => [Name, Config['Env'], State.Running]),
    ).toEqual([['/web', ['A=2'], true]])
  })

  test('stop and remove containers', async () => {
    await salt.state('docker_container.running', web)
    expect((await salt.state('docker_container.absent', { name: 'web' })).comment).toBe(
      'Container is running, set force to True to forcibly remove it',
    )
    expect((await salt.state('docker_container.stopped', { name: 'web' })).comment).toBe(
      'The following container(s) were stopped: web',
    )
    expect((await salt.state('docker_container.stopped', { name: 'web' })).comment).toBe(
      "Container 'web' is not running",
    )
    expect((await salt.state('docker_container.absent', { name: 'web' })).comment).toBe(
      "Successfully removed container 'web'",
    )
    const gone = await salt.state('docker_container.stopped', { name: 'web' })
    expect([gone.result, gone.comment]).toEqual([false, 'The following container(s) are absent: web'])
  })

  test('start a container that was stopped', async () => {
    await salt.state('docker_container.running', web)
    await salt.call('docker.stop', ['web'])
    expect((await salt.state('docker_container.running', web)).comment).toBe(
      "Container 'web' is already configured as specified. State changed from 'stopped' to 'running'.",
    )
  })

  test('keep networks and volumes', async () => {
    const net = { name: 'back', driver: 'bridge' }
    expect((await salt.state('docker_network.present', net, true)).comment).toBe('Network will be created')
    expect((await salt.state('docker_network.present', net)).comment).toBe("Network 'back' created")
    expect((await salt.state('docker_network.present', net)).comment).toBe(
      "Network 'back' already exists, and is configured as specified",
    )
    expect((await salt.state('docker_network.present', { name: 'back', driver: 'macvlan' })).comment).toBe(
      "Network 'back' was replaced with updated config",
    )
    expect([...engine.networks.keys()]).toEqual(['bridge', 'back'])
    expect((await salt.state('docker_network.absent', { name: 'back' })).comment).toBe("Removed network 'back'")
    expect((await salt.state('docker_volume.present', { name: 'data' })).changes).toMatchObject({
      created: { Name: 'data' },
    })
    expect((await salt.state('docker_volume.present', { name: 'data' })).comment).toBe("Volume 'data' already exists.")
    expect((await salt.state('docker_volume.absent', { name: 'data' })).changes).toEqual({ removed: true })
  })

  test('networks are made, compared, joined and left by functions', async () => {
    await salt.call('docker.pull', ['nginx'])
    await salt.call('docker.create', ['nginx'], { name: 'web' })
    for (const name of ['one', 'two']) {
      expect(await salt.call('docker.create_network', [name], { driver: 'bridge' })).toMatchObject({
        Id: name,
      })
    }
    expect(await salt.call('docker.inspect_network', ['one'])).toMatchObject({ Name: 'one', Driver: 'bridge' })
    expect(await salt.call('docker.compare_networks', [toNetwork('bridge'), toNetwork('macvlan')])).toMatchObject({
      Driver: { old: 'bridge', new: 'macvlan' },
    })
    expect(await salt.call('docker.connect_container_to_network', ['web', 'one'])).toBe(true)
    expect(Object.keys(engine.containers.get('id1')!.NetworkSettings.Networks)).toEqual(['bridge', 'one'])
    expect(await salt.call('docker.disconnect_container_from_network', ['web', 'one'])).toBe(true)
    expect(await salt.call('docker.connected', ['one'])).toEqual([])
    expect(await salt.call('docker.remove_network', ['two'])).toBe(true)
    expect([...engine.networks.keys()]).toEqual(['bridge', 'one'])
  })

  test('report errors', async () => {
    expect((await salt.state('docker_container.running', { name: 'x' })).comment).toBe(
      "The 'image' argument is required",
    )
    expect(
      (await salt.state('docker_container.running', { name: 'x', image: 'nginx', networks: ['nope'] })).comment,
    ).toBe('The following networks are not present: nope')
    await expect(salt.call('docker.inspect_container', ['x'])).rejects.toThrow('Error 404: No such container: x')
  })
})
