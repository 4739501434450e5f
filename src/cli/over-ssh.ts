// Jobs of salt-ssh, and salt-cloud, for functions of the master. The code is loaded at first use.

import type { OverSsh } from '../runner/mod.ts'
import { configSources } from './config-sources.ts'

const ssh = () => import('../ssh/mod.ts')

export const callOverSsh: OverSsh = {
  run: async function* (access, call, signal) {
    yield* (await ssh()).sshForMaster(access, call, signal)
  },
  targets: async (access, call) => (await ssh()).targetsForMaster(access, call),
  cloud: async (access) => {
    const { openCloud } = await import('../cloud/mod.ts')
    const cloud = await openCloud({ access, ...configSources, signal: new AbortController().signal })
    await cloud.settle()
    return cloud
  },
  bootstrap: async (access, request) => {
    const { bootstrapForMaster } = await import('../cloud/mod.ts')
    const stopped = new AbortController()
    const stop = (): void => stopped.abort()
    // an end of the program takes back keys of minions that do not answer yet
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop)
    try {
      return await bootstrapForMaster(access, request, stopped.signal)
    } finally {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop)
    }
  },
}
