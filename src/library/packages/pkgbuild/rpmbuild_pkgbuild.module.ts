// Packages of rpm on systems that use rpm.
import { defineModule } from '../../../sdk/mod.ts'
import { isRpmSystem, missingProgram, rpmFunctions } from './rpmbuild.ts'

export default defineModule({
  name: 'rpmbuild_pkgbuild',
  virtual: 'pkgbuild',
  doc: 'Build packages of rpm and make repositories of them.',
  when: async ({ grains, host }) =>
    isRpmSystem(grains)
      ? ((await missingProgram(host)) ?? true)
      : 'On systems without rpm the module is called rpmbuild',
  functions: rpmFunctions('pkgbuild'),
})
