import { expect, test } from 'vitest'
import { consoleLog } from '../base/mod.ts'
import { loggedHost } from './logged-host.ts'
import { MemoryHost } from './memory/memory-host.ts'

const SECRET = ['mysql', '-phunter2']

function machine(): MemoryHost {
  return new MemoryHost({ commands: [({ argv }) => (argv[0] === 'mysql' ? { retcode: 3 } : undefined)] })
}

test('a host logs the command, its exit status and duration, but not its arguments', async () => {
  const lines: string[] = []
  const host = loggedHost(
    machine(),
    consoleLog('debug', (line) => lines.push(line)),
  )
  expect((await host.run({ argv: SECRET })).retcode).toBe(3)
  expect(lines).toEqual([
    expect.stringMatching(/^\[DEBUG {3}\] Command 'mysql' \(pid \d+\) ended with 3 after \d+ ms\n$/),
  ])
})

test('a host is returned unchanged if the log drops such lines', () => {
  const plain = machine()
  expect(
    loggedHost(
      plain,
      consoleLog('info', () => {}),
    ),
  ).toBe(plain)
})
