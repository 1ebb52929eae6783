; Changes PATH, one person's or the computer's, for keybench.nsi; $ForAll says which.

!macro ChangingPath un

; Put folder $0 on PATH if $1 is 1, or take it off. PATH is changed in memory of its own: a variable of NSIS
; would cut one that is longer than 1,023 characters. What isn't ours in it stays as it is, byte for byte.
Function ${un}ChangePath
  ${If} $ForAll = 1
    StrCpy $2 -2147483646 ; HKEY_LOCAL_MACHINE
    StrCpy $3 "SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
  ${Else}
    StrCpy $2 -2147483647 ; HKEY_CURRENT_USER
    StrCpy $3 "Environment"
  ${EndIf}
  ; KEY_QUERY_VALUE | KEY_SET_VALUE | KEY_WOW64_64KEY
  System::Call 'advapi32::RegOpenKeyExW(p r2, w r3, i 0, i 0x103, *p .R0) i .R9'
  ${If} $R9 <> 0
    Return
  ${EndIf}
  StrCpy $R1 2 ; REG_EXPAND_SZ, where there is none yet
  StrCpy $R2 0
  System::Call 'advapi32::RegQueryValueExW(p R0, w "Path", p 0, *i .r4, p 0, *i .R2) i .R9'
  ${If} $R9 = 0
    StrCpy $R1 $4
  ${ElseIf} $R9 <> 2 ; ERROR_FILE_NOT_FOUND
    System::Call 'advapi32::RegCloseKey(p R0)'
    Return ; what can't be read isn't written
  ${EndIf}
  ; Room for the value between two semicolons, for our folder, and for the end.
  StrLen $4 $0
  IntOp $R3 $4 * 2
  IntOp $R3 $R3 + $R2
  IntOp $R3 $R3 + 32
  System::Alloc $R3
  Pop $R4
  System::Call 'kernel32::RtlZeroMemory(p R4, p R3)'
  System::Call 'kernel32::lstrcpyW(p R4, w ";")'
  ${If} $R9 = 0
    IntPtrOp $R5 $R4 + 2
    System::Call 'advapi32::RegQueryValueExW(p R0, w "Path", p 0, p 0, p R5, *i R2R2) i .R9'
    ${If} $R9 <> 0
      System::Free $R4
      System::Call 'advapi32::RegCloseKey(p R0)'
      Return
    ${EndIf}
  ${EndIf}
  System::Call 'kernel32::lstrcatW(p R4, w ";")'
  StrCpy $5 0 ; whether anything changes
  ${If} $1 = 1
    System::Call 'shlwapi::StrStrIW(p R4, w ";$0;") p .R6'
    ${If} $R6 P= 0
      System::Call 'kernel32::lstrcatW(p R4, w "$0;")'
      System::Call 'shlwapi::StrStrIW(p R4, w ";;$0;") p .R6'
      ${If} $R6 P<> 0 ; PATH was empty, or ended with a semicolon, which then ends it again
        IntPtrOp $R7 $R6 + 2
        Call ${un}MoveTextDown
        ${If} $R6 P<> $R4
          System::Call 'kernel32::lstrcatW(p R4, w ";")'
        ${EndIf}
      ${EndIf}
      StrCpy $5 1
    ${EndIf}
  ${Else}
    ${Do}
      System::Call 'shlwapi::StrStrIW(p R4, w ";$0;") p .R6'
      ${If} $R6 P= 0
        ${ExitDo}
      ${EndIf}
      IntOp $6 $4 + 1
      IntOp $6 $6 * 2
      IntPtrOp $R7 $R6 + $6
      Call ${un}MoveTextDown
      StrCpy $5 1
    ${Loop}
  ${EndIf}
  ${If} $5 = 1
    ; Without the two semicolons that we put round it.
    System::Call 'kernel32::lstrlenW(p R4) i .R8'
    ${If} $R8 < 2
      System::Call 'advapi32::RegDeleteValueW(p R0, w "Path")'
    ${Else}
      IntOp $6 $R8 - 1
      IntOp $6 $6 * 2
      IntPtrOp $R7 $R4 + $6
      System::Call '*$R7(&i2 0)'
      IntPtrOp $R5 $R4 + 2
      System::Call 'advapi32::RegSetValueExW(p R0, w "Path", i 0, i R1, p R5, i r6)'
    ${EndIf}
    System::Call 'user32::SendMessageTimeoutW(p 0xFFFF, i ${WM_SETTINGCHANGE}, p 0, w "Environment", i 2, i 5000, *p .r6)'
  ${EndIf}
  System::Free $R4
  System::Call 'advapi32::RegCloseKey(p R0)'
FunctionEnd

; Move the text at address $R7 down to $R6, its end included.
Function ${un}MoveTextDown
  System::Call 'kernel32::lstrlenW(p R7) i .R8'
  IntOp $R8 $R8 + 1
  IntOp $R8 $R8 * 2
  System::Call 'kernel32::RtlMoveMemory(p R6, p R7, p R8)'
FunctionEnd

!macroend
