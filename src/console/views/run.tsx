import { Empty, View } from '../ui/basic.tsx'

export default function Run() {
  return (
    <View title="Run">
      <Empty title="Run" />
    </View>
  )
}
