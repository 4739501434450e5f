import { expect, test } from 'vitest'
import { checkTarget } from './target.ts'

test.each(['web1', 'web-1.example.com', '10.0.0.1', 'fe80::1%eth0', '::1'])('the host %s is one', (host) => {
  expect(() => checkTarget({ host })).not.toThrow()
})

// ProxyCommand and ProxyJump hand the host to a shell; old versions of ssh do not check it
test.each(['x`id`', 'x$(id)', 'x;id', 'x|id', 'x&id', 'x>y', '$IFS', '-oProxyCommand=id', 'a b', "a'b"])(
  'the host %s is refused',
  (host) => {
    expect(() => checkTarget({ host })).toThrow('Invalid SSH target: host name')
  },
)
