; The installer for Windows. packaging/windows.py compiles it and says what stands in ${capitals}.
;
;   keybench-VERSION-windows-x64-setup.exe [/S] [/AllUsers | /CurrentUser] [/AddToPath] [/D=C:\a folder]
;
; /S asks nothing; /D is the last one and has no quotation marks. It ends with 0 when it is done, 1 when a person
; stopped it, 2 when it could not be finished, and with Windows' own numbers for the others: 32 the program is in
; use, 740 an administrator has to do it, 1150 this Windows is too old. The uninstaller takes /S and gives the
; same numbers.
;
; It removes what it put there, by the list `installed.txt`, and leaves the person's data alone.

Unicode true
!ifdef TARGET
  Target ${TARGET}
!endif

!include MUI2.nsh
!include LogicLib.nsh
!include FileFunc.nsh
!include WinVer.nsh
!include x64.nsh
!include nsDialogs.nsh
!define UNINSTALLER "uninstall-${COMMAND}.exe"
!define LISTED "installed.txt"
!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${ID}"
!define APP_PATHS_KEY "Software\Microsoft\Windows\CurrentVersion\App Paths\${COMMAND}.exe"
!define IN_USE 32          ; ERROR_SHARING_VIOLATION
!define NEEDS_ADMIN 740    ; ERROR_ELEVATION_REQUIRED
!define WINDOWS_TOO_OLD 1150 ; ERROR_OLD_WIN_VERSION
!define LEAST_BUILD 17763  ; Windows 10 version 1809, the least for Qt 6.11
!define LEAST_BUILD_ON_ARM 22000 ; Windows 11, the first that runs programs for x64 there

Name "${NAME}"
Caption "${NAME} ${VERSION}"
BrandingText "${NAME} ${VERSION}"
OutFile "${OUTPUT}"
RequestExecutionLevel user ; only who installs for all users is asked for more
SetCompressor /SOLID lzma
SetCompressorDictSize 64 ; both programs hold the same modules: the second costs nothing
AllowSkipFiles off ; all of it or an error
ManifestDPIAware true
ManifestLongPathAware true
ShowInstDetails nevershow
ShowUninstDetails nevershow

VIProductVersion "${FOUR_NUMBERS}"
VIFileVersion "${FOUR_NUMBERS}"
VIAddVersionKey /LANG=1033 "ProductName" "${NAME}"
VIAddVersionKey /LANG=1033 "ProductVersion" "${VERSION}"
VIAddVersionKey /LANG=1033 "FileVersion" "${VERSION}"
VIAddVersionKey /LANG=1033 "FileDescription" "${NAME} installer"
VIAddVersionKey /LANG=1033 "CompanyName" "${PUBLISHER}"
VIAddVersionKey /LANG=1033 "LegalCopyright" "${COPYRIGHT}"
VIAddVersionKey /LANG=1033 "OriginalFilename" "${FILE_NAME}"

!ifdef SIGNER
  !uninstfinalize '${SIGNER} "%1"'
!endif
Var ForAll     ; 1 where it is for all users, else 0
Var AskedFor   ; the folder that /D named, or nothing
Var FormerDir  ; where a former version is installed the same way, or nothing
Var OnPath     ; 1 where the command goes on PATH, else 0
Var Radio
Var Tick
!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!define MUI_WELCOMEFINISHPAGE_BITMAP "${SIDE}"
!define MUI_LICENSEPAGE_TEXT_TOP "Press Page Down to see the rest."
!define MUI_LICENSEPAGE_TEXT_BOTTOM "This is for your information; there is nothing to agree to."
!define MUI_LICENSEPAGE_BUTTON "$(^NextBtn)"
!define MUI_FINISHPAGE_RUN
!define MUI_FINISHPAGE_RUN_TEXT "Open ${NAME}"
!define MUI_FINISHPAGE_RUN_FUNCTION OpenIt
!define MUI_UNCONFIRMPAGE_TEXT_TOP "${NAME} will be removed. Its journal, settings and keys stay: \
  they are in %LOCALAPPDATA%\${NAME} and in the Credential Manager of each user."

!define MUI_PAGE_HEADER_TEXT "Copyright and licences"
!define MUI_PAGE_HEADER_SUBTEXT "Whose ${NAME} is, and what it contains."
!insertmacro MUI_PAGE_LICENSE "${TERMS}"
Page custom ShowChoices LeaveChoices
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

; What installer and uninstaller both do. NSIS wants the functions of an uninstaller to begin with `un.`.
!macro Shared un

; Take registry and Start menu of one person or of all; 64-bit places only, as the program is.
Function ${un}UseMode
  SetRegView 64
  ${If} $ForAll = 1
    SetShellVarContext all
  ${Else}
    SetShellVarContext current
  ${EndIf}
FunctionEnd

; Put into $0 what this process may do: "Admin" is what is asked for.
Function ${un}FindRights
  UserInfo::GetAccountType
  Pop $0
FunctionEnd

; Put into $1 whether a program in folder $0 is in use: 1 or 0. Windows lets nobody write to one that runs.
Function ${un}IsInUse
  StrCpy $1 0
  ${ForEach} $2 1 2 + 1
    ${If} $2 = 1
      StrCpy $3 "$0\${COMMAND}.exe"
    ${Else}
      StrCpy $3 "$0\${COMMAND}.com"
    ${EndIf}
    ${If} ${FileExists} $3
      ; GENERIC_WRITE, shared with everybody, OPEN_EXISTING
      System::Call 'kernel32::CreateFileW(w r3, i 0x40000000, i 7, p 0, i 3, i 0, p 0) p .r4 ?e'
      Pop $5
      ${If} $4 = -1
        ${If} $5 = ${IN_USE}
          StrCpy $1 1
        ${EndIf}
      ${Else}
        System::Call 'kernel32::CloseHandle(p r4)'
      ${EndIf}
    ${EndIf}
  ${Next}
FunctionEnd

; Go on only once no program in folder $0 is in use; a silent run tries for two seconds.
Function ${un}WaitUntilClosed
  StrCpy $6 0
  ${Do}
    Call ${un}IsInUse
    ${If} $1 = 0
      ${ExitDo}
    ${EndIf}
    ${If} ${Silent}
      IntOp $6 $6 + 1
      Sleep 500
      ${If} $6 = 4
        SetErrorLevel ${IN_USE}
        Quit
      ${EndIf}
    ${Else}
      MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "${NAME} in $0 is in use. Close its window, and commands \
        that still run, then try again.$\n$\nNothing has been changed." IDRETRY +3
        SetErrorLevel ${IN_USE}
        Quit
    ${EndIf}
  ${Loop}
FunctionEnd

; Remove from folder $0 what its list names, and the list. Put into $1 how much of it could not be removed.
Function ${un}RemoveListed
  StrCpy $1 0
  ClearErrors
  FileOpen $2 "$0\${LISTED}" r
  ${IfNot} ${Errors}
    ${Do}
      ClearErrors
      FileRead $2 $3
      ${If} ${Errors}
        ${ExitDo}
      ${EndIf}
      ${${un}TrimNewLines} $3 $3
      Call ${un}IsInside
      ${If} $4 = 1
        StrCpy $5 $3 1 -1
        ${If} $5 == "\"
          RMDir "$0\$3" ; stays where somebody else's file is in it
        ${Else}
          Delete "$0\$3"
          ${If} ${FileExists} "$0\$3"
            IntOp $1 $1 + 1
          ${EndIf}
        ${EndIf}
      ${EndIf}
    ${Loop}
    FileClose $2
    Delete "$0\${LISTED}"
  ${EndIf}
FunctionEnd

; Put into $4 whether $3 stays in the folder that it is looked for in: 1 or 0. Lists can be edited.
Function ${un}IsInside
  StrCpy $4 1
  StrCpy $5 $3 1
  ${If} $5 == ""
  ${OrIf} $5 == "\"
    StrCpy $4 0
  ${EndIf}
  StrCpy $6 0
  ${Do}
    StrCpy $5 $3 1 $6
    ${If} $5 == ""
      ${ExitDo}
    ${EndIf}
    StrCpy $7 $3 2 $6
    ${If} $5 == ":"
    ${OrIf} $7 == ".."
      StrCpy $4 0
      ${ExitDo}
    ${EndIf}
    IntOp $6 $6 + 1
  ${Loop}
FunctionEnd

!macroend

!include TextFunc.nsh
!insertmacro TrimNewLines
!insertmacro un.TrimNewLines
!insertmacro Shared ""
!insertmacro Shared "un."
!include path.nsh
!insertmacro ChangingPath ""
!insertmacro ChangingPath "un."

Function .onInit
  SetRegView 64
  StrCpy $0 0
  ${If} ${IsNativeAMD64}
  ${AndIf} ${AtLeastBuild} ${LEAST_BUILD}
    StrCpy $0 1
  ${ElseIf} ${IsNativeARM64}
  ${AndIf} ${AtLeastBuild} ${LEAST_BUILD_ON_ARM}
    StrCpy $0 1
  ${EndIf}
  ${If} $0 = 0
    MessageBox MB_OK|MB_ICONSTOP "${NAME} needs Windows 10 version 1809 or later, 64-bit." /SD IDOK
    SetErrorLevel ${WINDOWS_TOO_OLD}
    Quit
  ${EndIf}
  StrCpy $AskedFor $INSTDIR
  ${GetParameters} $9
  Call ReadMode
  Call UseMode
  Call FindFormer
  ClearErrors
  ${GetOptions} $9 "/AddToPath" $8
  ${IfNot} ${Errors}
    StrCpy $OnPath 1
  ${EndIf}
  ${If} $ForAll = 1
    Call FindRights
    ${If} $0 != "Admin"
      ${If} ${Silent}
        SetErrorLevel ${NEEDS_ADMIN}
        Quit
      ${EndIf}
      StrCpy $ForAll 0 ; the page asks for the rights if it is chosen
      Call UseMode
      Call FindFormer
    ${EndIf}
  ${EndIf}
FunctionEnd

; Set $ForAll by the options in $9, else as it is installed already, else for this user alone.
Function ReadMode
  ClearErrors
  ${GetOptions} $9 "/AllUsers" $8
  ${IfNot} ${Errors}
    StrCpy $ForAll 1
    Return
  ${EndIf}
  StrCpy $ForAll 0
  ClearErrors
  ${GetOptions} $9 "/CurrentUser" $8
  ${If} ${Errors}
    ReadRegStr $0 HKCU "${UNINSTALL_KEY}" "InstallLocation"
    ReadRegStr $1 HKLM "${UNINSTALL_KEY}" "InstallLocation"
    ${If} $0 == ""
    ${AndIf} $1 != ""
      StrCpy $ForAll 1
    ${EndIf}
  ${EndIf}
FunctionEnd

; Find the version that is installed the same way, and the folder for this one.
Function FindFormer
  ReadRegStr $FormerDir SHCTX "${UNINSTALL_KEY}" "InstallLocation"
  ReadRegDWORD $OnPath SHCTX "${UNINSTALL_KEY}" "OnPath"
  ${If} $OnPath != 1
    StrCpy $OnPath 0
  ${EndIf}
  ${If} $AskedFor != ""
    StrCpy $INSTDIR $AskedFor
  ${ElseIf} $FormerDir != ""
    StrCpy $INSTDIR $FormerDir
  ${ElseIf} $ForAll = 1
    StrCpy $INSTDIR "$PROGRAMFILES64\${NAME}"
  ${Else}
    StrCpy $INSTDIR "$LOCALAPPDATA\Programs\${NAME}"
  ${EndIf}
FunctionEnd

Function ShowChoices
  !insertmacro MUI_HEADER_TEXT "Who is it for?" "Each user has a journal and keys of their own either way."
  nsDialogs::Create 1018
  Pop $0
  ${NSD_CreateFirstRadioButton} 0 8u 100% 12u "Only for &me"
  Pop $0
  ${NSD_CreateAdditionalRadioButton} 0 24u 100% 12u "For &all users of this computer (asks for an administrator's rights)"
  Pop $Radio
  ${If} $ForAll = 1
    ${NSD_Check} $Radio
  ${Else}
    ${NSD_Check} $0
  ${EndIf}
  ${NSD_CreateCheckBox} 0 52u 100% 12u "Put the command “${COMMAND}” on &PATH, for scripts and terminals"
  Pop $Tick
  ${If} $OnPath = 1
    ${NSD_Check} $Tick
  ${EndIf}
  nsDialogs::Show
FunctionEnd

Function LeaveChoices
  ${NSD_GetState} $Radio $7
  ${NSD_GetState} $Tick $8
  ${If} $7 <> $ForAll
    ${If} $7 = 1
      Call FindRights
      ${If} $0 != "Admin"
        ; Windows gives more rights to a new process only.
        StrCpy $9 "/AllUsers"
        ${If} $8 = 1
          StrCpy $9 "/AllUsers /AddToPath"
        ${EndIf}
        ClearErrors
        ExecShell "runas" "$EXEPATH" $9
        ${If} ${Errors}
          Abort ; refused: stay on the page
        ${EndIf}
        Quit
      ${EndIf}
    ${EndIf}
    StrCpy $ForAll $7
    Call UseMode
    Call FindFormer
  ${EndIf}
  StrCpy $OnPath $8
FunctionEnd

Section "-program"
  SectionIn RO
  StrCpy $0 $INSTDIR
  Call WaitUntilClosed
  ${If} $FormerDir != ""
    StrCpy $0 $FormerDir
    Call WaitUntilClosed
    Call RemoveListed
    ${If} $OnPath = 0
    ${OrIf} $FormerDir != $INSTDIR
      StrCpy $1 0
      Call ChangePath
    ${EndIf}
    ${If} $FormerDir != $INSTDIR
      Delete "$FormerDir\${UNINSTALLER}"
      RMDir "$FormerDir"
    ${EndIf}
  ${EndIf}

  ; The list and the uninstaller first: whatever happens to the rest, it can be removed again.
  SetOutPath $INSTDIR
  File "/oname=${LISTED}" "${LIST}"
  WriteUninstaller "$INSTDIR\${UNINSTALLER}"
  Call Register
  File /r "${PAYLOAD}/*"

  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\${COMMAND}.exe" "" "$INSTDIR\${COMMAND}.exe" 0 \
    SW_SHOWNORMAL "" "${SUMMARY}"
  WriteRegStr SHCTX "${APP_PATHS_KEY}" "" "$INSTDIR\${COMMAND}.exe"
  ${If} $OnPath = 1
    StrCpy $0 $INSTDIR
    StrCpy $1 1
    Call ChangePath
  ${EndIf}
SectionEnd

; Tell Windows what is installed and how it is removed.
Function Register
  StrCpy $0 "/CurrentUser"
  ${If} $ForAll = 1
    StrCpy $0 "/AllUsers"
  ${EndIf}
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "DisplayName" "${NAME}"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\${COMMAND}.exe"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "Publisher" "${PUBLISHER}"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "Comments" "${SUMMARY}"
  !ifdef HOMEPAGE
    WriteRegStr SHCTX "${UNINSTALL_KEY}" "URLInfoAbout" "${HOMEPAGE}"
  !endif
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\${UNINSTALLER}" $0'
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\${UNINSTALLER}" $0 /S'
  WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "EstimatedSize" ${SIZE_KB}
  WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "NoRepair" 1
  WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "OnPath" $OnPath
FunctionEnd

; By Explorer, so that it has the person's rights where the installer has an administrator's.
Function OpenIt
  Exec '"$WINDIR\explorer.exe" "$INSTDIR\${COMMAND}.exe"'
FunctionEnd

Function un.onInit
  SetRegView 64
  StrCpy $ForAll 0
  ReadRegStr $0 HKLM "${UNINSTALL_KEY}" "InstallLocation"
  ${If} $0 == $INSTDIR
    StrCpy $ForAll 1
  ${EndIf}
  Call un.UseMode
  ${If} $ForAll = 1
    Call un.FindRights
    ${If} $0 != "Admin"
      ${IfNot} ${Silent}
        ExecShell "runas" "$INSTDIR\${UNINSTALLER}"
      ${EndIf}
      SetErrorLevel ${NEEDS_ADMIN}
      Quit
    ${EndIf}
  ${EndIf}
FunctionEnd

Section "Uninstall"
  StrCpy $0 $INSTDIR
  Call un.WaitUntilClosed
  Call un.RemoveListed
  StrCpy $9 $1
  StrCpy $1 0
  Call un.ChangePath
  Delete "$SMPROGRAMS\${NAME}.lnk"
  DeleteRegKey SHCTX "${APP_PATHS_KEY}"
  DeleteRegKey SHCTX "${UNINSTALL_KEY}"
  Delete "$INSTDIR\${UNINSTALLER}"
  RMDir "$INSTDIR"
  ${If} $9 <> 0
    MessageBox MB_OK|MB_ICONEXCLAMATION "$9 files in $INSTDIR could not be removed. Delete the folder \
      yourself." /SD IDOK
    SetErrorLevel 2
  ${EndIf}
SectionEnd
