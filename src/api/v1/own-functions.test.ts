import { expect, test } from 'vitest'
import { declaredIn } from './own-functions.ts'

test('The public functions of a Python module are read with their documentation', () => {
  const text = `
"""A module."""
__virtualname__ = "app"
__func_alias__ = {"list_": "list"}

def __virtual__():
    return True

def _hidden():
    pass

def deploy(
    version,
    force=False,
):
    """
    Deploy the application. More follows.
    """

def list_(): # all
    '''List versions.'''

class Thing:
    def method(self):
        pass

def bare(): return 1
`
  expect(declaredIn('myapp', text).map(({ name, doc }) => [name, doc.trim()])).toEqual([
    ['app.deploy', 'Deploy the application. More follows.'],
    ['app.list', 'List versions.'],
    ['app.bare', ''],
  ])
})

test('A module without a configured name has the name of its file', () => {
  expect(declaredIn('myapp', 'def run():\n    pass\n')).toEqual([{ name: 'myapp.run', doc: '' }])
})
