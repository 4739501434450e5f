import { Empty, View } from '../ui/basic.tsx'

export default function Overview() {
  return (
    <View title="Overview">
      <Empty title="Overview" />
    </View>
  )
}
