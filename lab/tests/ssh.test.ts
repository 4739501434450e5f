// A web server from its SLS file, on a host with an sshd and neither Node nor Python: the same in answers and in what is left behind as
// by salt-call on a twin. Further trees and ways are in long/.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { byItself, Controller, differences, leftovers, overSsh, ownTree } from '../agentless.ts'
import { DAEMON_MOUNTS } from '../fleet.ts'
import type { Host } from '../host.ts'
import { Lab } from '../lab.ts'
import { STOCK } from '../stock.ts'

let lab: Lab
let controller: Controller
let [target, twin]: Host[] = []

beforeAll(async () => {
  lab = await Lab.open({ stock: STOCK, mounts: DAEMON_MOUNTS })
  const [host, other] = await lab.boot('control', 'twin')
  ;[target] = await lab.bootBare('web01')
  twin = other
  controller = await Controller.on(host!)
  await controller.meet(target!)
})

afterAll(() => lab?.close())

describe('a target with an sshd only', () => {
  it('has no Node and no Python', async () => {
    expect((await target!.attempt(['sh', '-c', 'node -v || python3 -V || python -V'])).code).not.toBe(0)
  })

  it('becomes the same web server as a host that runs the states itself', async () => {
    const tree = ownTree('webserver')
    controller.write(tree, { web: { host: target!.address } })
    const ssh = await overSsh(controller, 'web', target!, tree)
    expect(differences(ssh, await byItself('web', twin!, tree))).toEqual([])
  })

  it('keeps nothing of the session', async () => {
    expect(await leftovers(target!)).toEqual([])
  })
})
