import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import pyenv from './module.ts'

const all = (stdout: string, retcode = 0): Value =>
  new Map<Value, Value>([
    ['pid', 1],
    ['retcode', retcode],
    ['stdout', stdout],
    ['stderr', 'built'],
  ])

/** A machine where pyenv answers to the words after its name. */
async function call(name: string, args: Value[], answers: Record<string, Value> = {}, isThere = true) {
  const ran: string[] = []
  const value = await tryFunction(pyenv, name, {
    args,
    host: await MemoryHost.with({ files: { '/usr/local/pyenv/': '' } }),
    others: {
      'config.option': ([option]) => (option === 'pyenv.build_env' ? 'CFLAGS=-O2' : ''),
      'cmd.has_exec': () => isThere,
      'cmd.run_all': ([line]) => {
        ran.push(String(line))
        const found = Object.keys(answers).find((words) => String(line).includes(words))
        return found === undefined ? all('') : answers[found]!
      },
    },
  })
  return { value: toPlain(value), ran }
}

const RUN = 'env PYENV_ROOT=/usr/local/pyenv /usr/local/pyenv/bin/pyenv'

test('Versions are read from what pyenv prints', async () => {
  const printed = {
    'versions --bare': all('3.11.7\n3.12.1\n'),
    'install --list': all('Available versions:\n  3.12.1\n  3.13.0'),
  }
  expect((await call('versions', [], printed)).value).toEqual(['3.11.7', '3.12.1'])
  expect((await call('list', [], printed)).value).toEqual(['3.12.1', '3.13.0'])
  expect((await call('versions', [], printed, false)).value).toEqual([])
  expect((await call('default', [], { global: all('3.11.7\n') })).value).toBe('3.11.7')
  expect(await call('default', ['3.12.1'])).toEqual({ value: true, ran: [`${RUN} global 3.12.1`] })
})

test('A version that cannot be built leaves nothing', async () => {
  const build = 'env PYENV_ROOT=/usr/local/pyenv CFLAGS=-O2 /usr/local/pyenv/bin/pyenv install 3.12.1'
  expect(await call('install_python', ['python-3.12.1'])).toEqual({ value: 'built', ran: [build, `${RUN} rehash `] })
  expect(await call('install_python', ['3.12.1'], { 'pyenv install': all('', 1) })).toEqual({
    value: false,
    ran: [build, `${RUN} uninstall --force 3.12.1`],
  })
})

test('A command runs with the shims in front, each word by itself', async () => {
  const { value, ran } = await call('do_with_python', ['3.12.1', 'pip list; id'], { shims: all('pip 24') })
  expect(value).toBe('pip 24')
  expect(ran[0]).toBe("env PATH=/usr/local/pyenv/shims:$PATH  PYENV_VERSION=3.12.1 pip 'list;' id")
})
