import { expect, it } from 'vitest'
import { withVersion } from './relabel.ts'

it('a package in another version depends on any version of its siblings and breaks nothing', () => {
  const control = [
    'Package: nginx',
    'Version: 1.22.1-9+deb12u9',
    'Depends: libc6 (>= 2.34), nginx-common (<< 1.22.1-9+deb12u9.1~), nginx-common (>= 1.22.1-9+deb12u9)',
    'Breaks: nginx-core (<< 1.22.1-5~)',
    'Description: small, powerful web server',
    '',
  ].join('\n')
  expect(withVersion(control, '1.20.2-1')).toBe(
    [
      'Package: nginx',
      'Version: 1.20.2-1',
      'Depends: libc6 (>= 2.34), nginx-common, nginx-common',
      'Description: small, powerful web server',
      '',
    ].join('\n'),
  )
})
