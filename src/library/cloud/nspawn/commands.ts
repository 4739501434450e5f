// Programs of the host that have to succeed.
import { SaltError } from '../../../data/mod.ts'
import type { Host } from '../../../sdk/mod.ts'

export async function must(host: Host, argv: readonly string[]): Promise<string> {
  const { retcode, stdout, stderr } = await host.run({ argv, timeout: 600, maxOutput: 1 << 20 })
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).trim()
  if (retcode === 0) return text(stdout)
  const said = text(stderr).split('\n').slice(-3).join('; ')
  throw new SaltError('SaltCloudExecutionFailure', `${argv[0]} exits with ${retcode}: ${said}`)
}

export const succeeds = async (host: Host, argv: readonly string[]): Promise<boolean> =>
  (await host.run({ argv, timeout: 60, maxOutput: 1 << 16 })).retcode === 0
