// Packages of rpm on other systems.
import { defineModule } from '../../../sdk/mod.ts'
import { isRpmSystem, missingProgram, rpmFunctions } from './rpmbuild.ts'

export default defineModule({
  name: 'rpmbuild',
  doc: 'Build packages of rpm on systems that use other packages.',
  when: async ({ grains, host }) =>
    isRpmSystem(grains) ? 'On systems with rpm the module is called pkgbuild' : ((await missingProgram(host)) ?? true),
  functions: rpmFunctions('rpmbuild'),
})
