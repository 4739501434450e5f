import { Empty, View } from '../ui/basic.tsx'

export default function Jobs() {
  return (
    <View title="Jobs">
      <Empty title="Jobs" />
    </View>
  )
}
