"""What all tests share: commands that they start are interrupted as a terminal's are, however pytest was started."""

import signal

for _number, _usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:  # by `nohup`, or in a shell's background
        signal.signal(_number, _usual)
