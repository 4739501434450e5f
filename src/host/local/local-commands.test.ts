import { expect, test, vi } from 'vitest'
import { interruptCommands, LocalHost } from '../mod.ts'

test('An interrupt reaches the running commands, and passes over one of a user who cannot be signalled', async () => {
  const host = new LocalHost()
  let started = (_pid: number): void => {}
  const begun = new Promise<number>((done) => {
    started = done
  })
  const ended = host.run({ argv: ['sleep', '600'], started })
  await begun
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
  })
  expect(interruptCommands).not.toThrow()
  expect(kill).toHaveBeenCalledOnce()
  kill.mockRestore()
  interruptCommands()
  expect((await ended).retcode).toBe(-2)
})
