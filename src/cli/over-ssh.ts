// Jobs of salt-ssh for functions of the master. The code for them is loaded with the first such job.
import type { OverSsh } from '../runner/mod.ts'

const ssh = () => import('../ssh/mod.ts')

export const overSsh: OverSsh = {
  run: async function* (access, call, signal) {
    yield* (await ssh()).sshForMaster(access, call, signal)
  },
  targets: async (access, call) => (await ssh()).targetsForMaster(access, call),
}
