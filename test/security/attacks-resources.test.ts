// What an access list asks of a call holds for machines behind a minion as well.
import { expect, it } from 'vitest'
import { MemoryHost } from '../../src/host/mod.ts'
import { Registry } from '../../src/loader/mod.ts'
import { sshFunctions } from '../../src/minion/resources/ssh.ts'
import { dict } from './besieged.ts'

it.each(['run', 'run_all', 'run_stdout', 'run_stderr', 'shell', 'retcode'])(
  'cmd.%s by ssh runs nothing for a user that it cannot become',
  async (fun) => {
    let ran = 0
    const host = await MemoryHost.with({
      files: { '/usr/bin/ssh': { mode: 0o755 } },
      env: { PATH: '/usr/bin' },
      commands: [
        () => {
          ran++
          return { stdout: 'uid=0(root)', stderr: '', retcode: 0 }
        },
      ],
    })
    const minion = new Registry({}, { opts: new Map(), grains: new Map(), pillar: new Map(), host })
    const functions = sshFunctions(dict({ host: 'box.example' }), minion)
    await expect(functions.call(`cmd.${fun}`, ['id'], new Map([['runas', 'nobody']]))).rejects.toThrow('runas')
    expect(ran).toBe(0)
    await functions.call(`cmd.${fun}`, ['id'], new Map<string, string | boolean>([['python_shell', true]]))
    expect(ran).toBe(1)
  },
)
